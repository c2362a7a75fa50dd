"""What a release reveals by the columns that it leaves unchanged, in words without values, and when that is too much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_sql.model.policy import Policy
from kanon_sql.model.refusals import unlisted_columns, unlisted_together
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unlisted import Limits
from kanon_sql.model.validation import as_identifier, same_name

_SINGLED_OUT = 0.01
"""Share of the rows from which on a column is said to single them out."""

_GIVEN_BACK = 0.01
"""The same of the suppressed cells of a quasi-identifier that come back."""

_TOGETHER, _ALL = -1, -2
"""The places of all columns without a guarantee together, and of these with the sensitive ones."""

_WRONG = 0.05
"""Share of wrong guesses up to which an attacker may rely on them."""


def unchanged_columns(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns that are released unchanged, and about which nothing is guaranteed.

    Parameters
    ----------
    figures : mapping
        The counts of ``singled.sql`` or ``exposure.sql``.
    """
    return tuple(figures["names"] or ())  # an empty table has none


def refuse_unlisted(figures: Mapping[str, Any], policy: Policy, surface: Surface, *, released: bool = True) -> None:
    """Raise if columns without a role reveal too much.

    Parameters
    ----------
    figures, policy, released
        As for `warnings_of`. Before a search, nothing is known of what they give back.

    Raises
    ------
    UnlistedColumnError
        Naming the columns, what they reveal, and the ways out.

    Notes
    -----
    Whatever is refused was counted in the whole table: a part of a large one only finds the columns to count.
    """
    if policy.keep is not None or not figures["names"]:
        return
    limits = Limits(policy.unlisted_limit)
    names = unchanged_columns(figures)
    rows = figures["rows"]
    found: dict[str, list[str]] = {}
    for place, name in enumerate(names, 1):
        alone = _singled_out(figures, policy, place)
        if alone is not None and alone.exact and limits.singled_out(alone.single, rows):
            found.setdefault(name, []).append(alone.words("singles out"))
    for (i, j), share in sorted(shares_given_back(figures).items()):
        if i < len(names) and share > limits.most:
            other = as_identifier(policy.quasi_identifiers[j].column)
            found.setdefault(names[i], []).append(f"{_words(share, released)} of {other}")
    if found:
        raise unlisted_columns({name: " and ".join(each) for name, each in found.items()}, names, surface)
    together = _singled_out(figures, policy, _TOGETHER, fewest=2)
    if together is not None and together.exact and together.single > limits.most * rows:
        raise unlisted_together(names, together.words("together single out"), surface)


def warnings_of(figures: Mapping[str, Any], policy: Policy, *, released: bool = True) -> tuple[str, ...]:
    """Return what the unchanged columns reveal.

    Parameters
    ----------
    figures : mapping
        As for `unchanged_columns`.
    policy : Policy
        With its quasi-identifiers named.
    released : bool
        Whether cells were suppressed already; else all of them count.
    """
    return () if figures["names"] is None else (*_single(figures, policy), *_guessed(figures, policy, released))


@dataclass(frozen=True, slots=True)
class _Singled:
    """The rows that a column, or several together, single out."""

    single: int  # those rows
    rows: int  # the rows that were looked at
    exact: bool  # whether every row was
    who: str  # who shares their values, if not one row alone

    @property
    def share(self) -> float:
        return self.single / self.rows if self.rows else 0.0

    def words(self, does: str) -> str:
        return f"{does} {'' if self.exact else 'about '}{self.share:.1%} of the rows{self.who}"


def _single(figures: Mapping[str, Any], policy: Policy) -> Iterator[str]:
    """Yield the columns that single rows out: each alone, then together where they do so more than a part of them.

    Notes
    -----
    Nobody knows a person's token who does not have the secret. What tokens link is counted apart.
    """
    tokens, most = set(map(same_name, policy.pseudonyms)), 0.0
    for place, name in enumerate(_measured(figures, policy), 1):
        alone = _singled_out(figures, policy, place)
        if alone is not None and same_name(name) not in tokens and alone.share >= _SINGLED_OUT:
            yield f"{as_identifier(name)} is released unchanged and {alone.words('singles out')}"
            most = max(most, alone.share)
    unlisted = len(unchanged_columns(figures))
    for place, number in ((_TOGETHER, unlisted), (_ALL, unlisted + len(policy.sensitive))):
        together = _singled_out(figures, policy, place)
        if together is not None and together.share >= most + _SINGLED_OUT:
            which = f"the {number} columns released unchanged"
            which = f"{which}, including the sensitive ones," if place == _ALL else which
            yield f"{which} {together.words('together single out')}"
            most = together.share


def _measured(figures: Mapping[str, Any], policy: Policy) -> tuple[str, ...]:
    """Return the columns in the order of their places: those about which nothing is guaranteed, then the sensitive ones."""
    return (*unchanged_columns(figures), *policy.sensitive)


def _singled_out(figures: Mapping[str, Any], policy: Policy, place: int, fewest: int | None = None) -> _Singled | None:
    """Return what the column at a place, or several together, single out; with ``fewest`` of 2, what one person alone has.

    Notes
    -----
    Where people are counted, values that too few of them have single these out, in however many rows. Tokens follow people,
    so of them, and of all columns together with them, only single rows count.
    """
    found = next((each for each in figures["single"] or () if each["i"] == place), None)
    if found is None:
        return None
    tokens, names = set(map(same_name, policy.pseudonyms)), _measured(figures, policy)
    linked = [same_name(name) in tokens for name in names]
    if linked[place - 1] if place > 0 else any(linked):
        return _Singled(found["single"], found["rows"], found["exact"], "")
    shared = fewest or figures["shared"]
    words = Limits.in_words(shared, people=policy.people is not None)
    return _Singled(found["few" if shared > 2 else "lone"], found["rows"], found["exact"], words)


def _guessed(figures: Mapping[str, Any], policy: Policy, released: bool) -> Iterator[str]:
    """Yield the columns that give suppressed cells back, each with the quasi-identifier whose cells they are."""
    names = _measured(figures, policy)
    exact = {(each["i"] - 1, each["j"] - 1) for each in figures["guessed"] or () if each["exact"]}
    for (i, j), share in sorted(shares_given_back(figures).items()):
        column, other = as_identifier(names[i]), as_identifier(policy.quasi_identifiers[j].column)
        yield f"{column} is released unchanged and {_words(share, released, exact=(i, j) in exact)} of {other}"


def _words(share: float, released: bool, *, exact: bool = True) -> str:
    """Return what a column does, and to which cells."""
    does, cells = ("gives back", "suppressed cells") if released else ("would give back", "cells")
    return f"{does} {'' if exact else 'about '}{share:.1%} of the {cells}"


def shares_given_back(figures: Mapping[str, Any]) -> dict[tuple[int, int], float]:
    """Return by the places of an unchanged column and a quasi-identifier, from 0, the share of hidden cells that come back.

    Notes
    -----
    Only where the guesses of an attacker are right, and better than the commonest value, and not of a few cells alone.
    """
    hidden = {each["j"]: each for each in figures.get("hidden") or ()}
    found: dict[tuple[int, int], float] = {}
    for each in figures.get("guessed") or ():
        pair, common = (each["i"] - 1, each["j"] - 1), hidden[each["j"]]["common"]
        for hit, miss in ((each["hit"], each["miss"]), (each["hit_of_five"], each["miss_of_five"])):
            wrong = miss / (hit + miss) if hit + miss else 1.0
            share = hit / each["cells"] if each["cells"] else 0.0
            if common < 1 and wrong <= min(_WRONG, (1 - common) / 2) and share >= _GIVEN_BACK:
                found[pair] = max(found.get(pair, 0.0), share)
    return found
