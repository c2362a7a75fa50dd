"""One trial: publish the tables of a database, and ask what a reader can prove."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.table_attack.draw import TOGETHER, Database
from benchmarks.table_attack.prover import Reader, alone, own_gaps, targets
from benchmarks.table_attack.published import Batch, published, script
from benchmarks.table_attack.reader import MARKED, Knowledge, knowledge
from benchmarks.table_attack.statement import Statement

PROVABLE, ALONE, WRONG, BROKEN, NEEDLESS = "provable", "alone", "wrong", "broken", "needless refusal"

FAILURES = (PROVABLE, ALONE, WRONG, BROKEN)
"""Findings that are faults; a needless refusal harms nobody."""

_SUM = 10
"""Percent by which the sum of a row of too few people stays open, as the product says."""

_OF_SAFETY = re.compile("follows from rows that must be shown|earlier protected table (shows|suppresses)")
"""Refusals for the sake of other rows."""

_OF_SOURCE = re.compile("singles out|add to the sum|adds (the same number|one of two numbers)|overlap in")
"""Refusals of keys and sums that no suppression makes safe, or of too many grouping sets."""


@dataclass(slots=True)
class Trial:
    """What came of a database.

    Attributes
    ----------
    database : Database
        The database.
    how : str
        How its tables were published.
    tables, released, refused : int
        Tables, and how many came out.
    refusals : Counter
        Errors, without what differs between them.
    rows, suppressed : int
        Published rows, and how many of them were suppressed.
    asked, programs, undecided : int
        Groups of too few people, integer programs, and groups of which none found an answer.
    findings : list of (str, str)
        Their kinds, and words.
    """

    database: Database
    how: str
    tables: int = 0
    released: int = 0
    refused: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    suppressed: int = 0
    asked: int = 0
    programs: int = 0
    undecided: int = 0
    findings: list[tuple[str, str]] = field(default_factory=list)

    @property
    def script(self) -> list[str]:
        """Return the statements that show it again."""
        return script(self.database)

    def kinds(self) -> set[str]:
        """Return the kinds of its findings."""
        return {kind for kind, _ in self.findings}


def attack(database: Database) -> Trial:
    """Publish the tables of a database and attack them."""
    hows = list(dict.fromkeys(how for how, _ in database.batches))
    trial = Trial(database, hows[0] if len(hows) == 1 else "mixed", tables=len(database.statements))
    try:
        batches = published(database)
    except Exception as error:  # whatever is no refusal is a fault
        trial.findings.append((BROKEN, f"{type(error).__name__}: {error}"))
        return trial
    seen: list[tuple[Statement, list[Any] | None]] = []
    together: list[range] = []
    for each in batches:
        if each.rows is None:
            _refused(trial, each, seen)
        else:
            places = range(len(seen), len(seen) + len(each.rows))
            # tables of one statement are solved one after the other
            together += [places if each.how == TOGETHER else range(place, place + 1) for place in places]
            seen += zip(each.statements, each.rows, strict=True)
    trial.released = len(seen)
    if seen:
        _judge(trial, knowledge(database.source, seen), seen, together)
    return trial


def _refused(trial: Trial, batch: Batch, before: Sequence[tuple[Statement, list[Any] | None]]) -> None:
    """Count a refusal, and ask whether the tables could have been published with all rows suppressed."""
    trial.refused += len(batch.statements)
    trial.refusals[f"{batch.kind}: {_cause(batch.refusal)}"] += 1
    if not _OF_SAFETY.search(batch.refusal):
        if not _OF_SOURCE.search(batch.refusal):
            trial.findings.append((BROKEN, f"{batch.kind}: {batch.refusal}"))
        return
    every = [*before, *((each, None) for each in batch.statements)]
    n = max(each.n for each, _ in every)
    known = knowledge(trial.database.source, every)
    groups, _ = targets(known, n)
    answer = Reader(known).small(groups, n)
    if not answer.any():
        shown = " and ".join(each.query for each in batch.statements)
        trial.findings.append((NEEDLESS, f"{batch.kind} ({batch.how}, after {len(before)} tables): {shown}"))


def _cause(refusal: str) -> str:
    """Return an error without names and numbers."""
    return re.sub(r"the key \S+", "the key ...", re.sub(r"\d[\d.,%]*", "N", refusal.partition("; ")[0]))


def _judge(
    trial: Trial, known: Knowledge, seen: Sequence[tuple[Statement, list[Any] | None]], together: Sequence[range]
) -> None:
    """Ask what a reader of everything that was published can prove; of each table, with which it was solved ``together``."""
    n = max(each.n for each, _ in seen)
    trial.rows = sum(len(rows or []) for _, rows in seen)
    trial.suppressed = sum(each.says == MARKED for each in known.groups)
    trial.findings += [(WRONG, each) for each in known.wrong]
    if known.wrong:
        return  # no table agrees with what is not true
    reader = Reader(known)
    groups, words = targets(known, n)
    answer = reader.small(groups, n)
    for place in np.flatnonzero(answer == 1):
        count = int(known.truth[groups[place]].sum())
        trial.findings.append((PROVABLE, f"1 to {n - 1} people (in truth {count}): {words[place]}"))
    for group, others in alone(known):
        if reader.may_have_somebody(others) != 1:
            continue
        # what another table shows anyway, no row of this one can hide
        gaps = own_gaps(known, group, others, together[group.table])
        if Reader(known, gaps).may_have_somebody(others) == 0:
            trial.findings.append((ALONE, f"the only possible row of a group: table {group.table} ({group.words})"))
    for each in known.groups:
        if each.says == MARKED and 0 < known.truth[each.atoms].sum() < n:
            _judge_sums(trial, known, reader, each, seen[each.table][0])
    trial.asked, trial.undecided, trial.programs = len(groups), int((answer == -1).sum()), reader.programs


def _judge_sums(trial: Trial, known: Knowledge, reader: Reader, group: Any, statement: Statement) -> None:
    """Ask whether the sums of a row of too few people are open, as the product says."""
    for name in statement.sums:
        total = int(known.sums[name][group.atoms].sum())
        least = total + max(1, -(-total * _SUM // 100))
        if reader.sum_is_close(group.atoms, name, least) == 1:
            trial.findings.append((PROVABLE, f"a sum of {total} is below {least}: table {group.table} ({group.words}), {name}"))
