"""Advice for a column that loses too much: a coarser recoding, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.errors import KanonError
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Generalization
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.preview import Labelled
from kanon_sql.studio.recoding_choices import coarser, held, text_of, words_of
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import Source

_MANY = 20
"""A column of at most so many values loses little, and others are counted together with such columns."""

_COMBINED = 4
"""Columns of few values that are counted together with the column."""

_COSTLY = 0.2
"""Share of people in groups of fewer than k from which on there is advice."""

_BETTER = 0.8
"""The greatest part of this share that a better recoding may have."""

_NEARLY_ALL = 0.6
"""Share of people with a value of their own from which on this is nearly everyone."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to change, and why."""

    column: str
    why: str
    what: str | None = None  # the recoding in words; None if somebody has to choose one
    recoding: str = ""  # the recoding as the statement writes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Adviser:
    """Counts what the quasi-identifiers of a draft lose."""

    source: Source
    draft: Draft
    person: str | None  # the column that tells people apart; without one, rows are counted
    people: int  # people of the table, or rows
    runs: Sequence[Run] = ()  # the releases, oldest first
    folder: Path | None = None  # where the hierarchies are that the statement names without a folder
    shares: dict[Any, float] = field(default_factory=dict)  # those that were counted before

    def all(self) -> list[Advice]:
        """Return advice for each quasi-identifier that loses much, or cannot be generalized as the draft says."""
        found = list[Advice | None]()
        for own in self.draft.policy.quasi_identifiers:
            try:
                found.append(self.of(own))
            except (KanonError, duckdb.Error) as error:
                found.append(Advice(own.column, error_line(error)))
        return [each for each in found if each is not None]

    def of(self, own: QuasiIdentifier) -> Advice | None:
        """Return advice for a quasi-identifier; None if it loses little, or nothing would help."""
        share, lost = self._below(own.column, own.recoding), self._suppressed(own)
        found = coarser(own.column, held(self.source, own.column))
        best: Generalization | None
        if lost is not None and lost > _COSTLY:
            why = f"The last release suppressed {lost:.0%} of its cells."
            found = found[found.index(own.recoding) + 1 :] if own.recoding in found else found
            best = found[0] if found else None
        elif share <= _COSTLY or self._distinct[own.column] <= _MANY:
            return None
        else:
            why = self._why(own.column, share)
            best = self._better(own, found, share)
        if best is not None:
            return Advice(own.column, why, words_of(best), text_of(best))
        return Advice(own.column, why) if own.recoding is None else None

    def _suppressed(self, own: QuasiIdentifier) -> float | None:
        """Return the share of suppressed cells in the last release that treated a column alike; None if there is none."""
        for run in reversed(self.runs):
            policy = run.draft.policy
            if own in policy.quasi_identifiers and policy.suppress is None and self.source.rows:
                empty = next(each.nulls for each in self.source.profile if each.name == own.column)
                return (int(run.release[1].column(own.column).null_count) - empty) / self.source.rows
        return None

    @property
    def _distinct(self) -> dict[str, int]:
        return {each.name: each.distinct for each in self.source.profile}

    def _few(self, column: str) -> list[str]:
        """Return other quasi-identifiers of few values, the fewest first."""
        distinct = self._distinct
        others = [each.column for each in self.draft.policy.quasi_identifiers if each.column != column]
        return sorted((each for each in others if distinct[each] <= _MANY), key=lambda each: distinct[each])[:_COMBINED]

    @property
    def _k(self) -> int:
        return max(self.draft.policy.least_class_size, self.draft.policy.fewest_rows)

    def _below(self, column: str, recoding: Generalization | None) -> float:
        """Return the share of people in groups of fewer than k, by the coarsest label and other columns of few values."""
        few = self._few(column)
        counted = (column, recoding, self.person, self._k, *few)
        if counted not in self.shares:
            labelled = Labelled(self.source, column, recoding, self.person, self.folder)
            self.shares[counted] = labelled.share_below(self._k, few)
        return self.shares[counted]

    def _better(self, own: QuasiIdentifier, found: Sequence[Generalization], share: float) -> Generalization | None:
        """Return the finest recoding with few people in small groups, or that with the fewest; None if none is much better."""
        best, least = None, share * _BETTER
        for each in found:
            below = self._below(own.column, each)
            if below < least:
                best, least = each, below
            if below <= _COSTLY:
                break
        return best

    def _why(self, column: str, share: float) -> str:
        """Return why a column would lose much, in words."""
        alone = self.source.alone(self.person)[column] / max(self.people, 1)
        of_people = self.person is not None or self.draft.policy.per_row
        if min(alone, share) >= _NEARLY_ALL:
            who = "Nearly everyone has a value of their own" if of_people else "Nearly every row has a value of its own"
            return f"{who} ({alone:.0%}), so most cells would be suppressed."
        few = self._few(column)
        together = f" with the same {_listed(few)}" if few else ""
        unit = "people" if of_people else "rows"
        return f"{share:.0%} of the {unit} are in groups of fewer than {self._k}{together}, so many cells would be suppressed."


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
