"""Makes the database of a finding smaller: fewer tables, fewer people, no sums, as long as the finding remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.table_attack.draw import APART, Database
from benchmarks.table_attack.trial import Trial, attack

_MOST = 250
"""Databases that are tried, at most."""


def smaller(database: Database, kind: str, judge: Callable[[Database], Trial] = attack) -> Trial:
    """Return the trial of a small database that has a finding of a kind, too.

    Parameters
    ----------
    database : Database
        One that has it.
    kind : str
        Of the finding.
    judge : callable
        Makes a trial of a database.
    """
    best, tried = judge(database), 0
    again = True
    while again:
        again = False
        for each in _smaller(best.database):
            tried += 1
            if tried > _MOST:
                return best
            found = judge(each)
            if kind in found.kinds():
                best, again = found, True
                break
    return best


def _smaller(database: Database) -> Iterator[Database]:
    """Yield databases that are a little smaller, those that lose most first."""
    count = len(database.statements)
    if count > 1:
        for place in range(count):
            yield _without(database, place)
    size = len(database.rows) // 2
    while size:
        for start in range(0, len(database.rows), size):
            left = (*database.rows[:start], *database.rows[start + size :])
            if left:
                yield replace(database, rows=left)
        size //= 2
    for place, each in enumerate(database.statements):
        for simple in (
            replace(each, sums=()),
            replace(each, counted=()),
            replace(each, where=None),
            replace(each, absent=False),
            replace(each, using="auto"),
            *(() if each.form in ("", "GROUPING SETS") else (replace(each, form=""),)),
        ):
            if simple != each:
                yield replace(database, statements=(*database.statements[:place], simple, *database.statements[place + 1 :]))
    if any(how != APART for how, _ in database.batches):
        yield replace(database, batches=tuple((APART, (place,)) for place in range(count)))


def _without(database: Database, gone: int) -> Database:
    batches = []
    for how, places in database.batches:
        left = tuple(place - (place > gone) for place in places if place != gone)
        if left:
            batches.append((how, left))
    statements = (*database.statements[:gone], *database.statements[gone + 1 :])
    return replace(database, statements=statements, batches=tuple(batches))
