"""`greedy` under a promise: cheapest pattern first, each class the largest part of its instance; or plain, or top down.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), Algorithm 1: the pass over the patterns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.kernels.instances.groups import Groups
from kanon_sql.kernels.requirements.greedy import Greedy, take
from kanon_sql.kernels.requirements.largest_part import Part
from kanon_sql.kernels.requirements.top_down import split
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.pools import tightened
from kanon_sql.solvers.instances.repair import Pieces
from kanon_sql.solvers.instances.sampled import sampled_patterns
from kanon_sql.solvers.instances.sieve import sieve
from kanon_sql.solvers.sensitive.pool import Pool
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.solvers.sensitive.qi_groups import QIGroups
from kanon_sql.solvers.sensitive.repair import settle
from kanon_sql.solvers.sensitive.search import Search, of_recoding, with_rest
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

_WORK_PER_CALL = 1 << 22
"""Patterns times row types between two looks at the clock, well below a second."""

_MANY = 100_000
"""Row types beyond which rows no longer move from class to class at the end."""


def solve(table: CodedTable, patterns: PatternSet, promise: Promise, budget: Budget) -> Recoding:
    """Return a recoding whose classes keep the promise, without a guarantee on its cost.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns.
    patterns : PatternSet
        The permitted patterns, or none listed where all 2^m are permitted and too many.
    promise : Promise
        What every class keeps.
    budget : Budget
        Time left; when it ends, the rows not yet placed are settled at once.

    Raises
    ------
    InfeasibleError
        When no release keeps the promise, or none is found under the masks.

    Notes
    -----
    O(p (j t / 64 + m e + e log n)) with e eligible row types a pattern and j sets of columns counted beforehand, and O(m^2 t)
    for the splitting; memory O(j t / 8) bytes.
    """
    refuse_impossible(table, promise)
    tried = patterns if patterns.listed else sampled_patterns(QIGroups.of(table).table)
    best = _settled(table, patterns, promise, _top_down(table, patterns, promise), budget)
    for whole in (False, True):
        if best is not None and budget.over():
            break
        pieces = cheapest_first(table, tried, promise, budget, whole=whole)
        found = _settled(table, patterns, promise, pieces, budget)
        if best is None or found.cost(table) < best.cost(table):
            best = found
    if not patterns.listed or table.row_types > _MANY or budget.over():
        return best
    search = Search.of(Pool.nothing(table, patterns, promise), of_recoding(best), np.zeros(table.row_types))
    search.grow(budget)
    return min(best, search.recoding(budget), key=lambda recoding: recoding.cost(table))


def refuse_impossible(table: CodedTable, promise: Promise) -> None:
    """Refuse a table that breaks the promise as one class: then every division of it does.

    Raises
    ------
    InfeasibleError
        With the counts that say why.
    """
    if table.rows < promise.least:
        raise InfeasibleError(
            f"the table has {table.rows} rows, and a class that keeps the promise has at least {promise.least}; "
            "hint: nothing of it can be released under this promise"
        )
    everything = np.concatenate([each.count for each in table.sensitive])[None]
    if not promise.met(everything).all():
        raise InfeasibleError(
            f"all {table.rows} rows in one class break the promise, so every division into classes does; hint: promise less"
        )


def cheapest_first(
    table: CodedTable, patterns: PatternSet, promise: Promise, budget: Budget, *, whole: bool, left: Int64 | None = None
) -> Pieces:
    """Let each pattern in turn take the largest part of each of its instances that keeps the promise; the rest is left behind.

    Parameters
    ----------
    whole : bool
        All of an instance or nothing.
    left : int64 array [t], optional
        The rows to take from; None is all of them.
    """
    groups = QIGroups.of(table)
    left = table.weight.copy() if left is None else left.copy()
    rows = np.add.reduceat(left, groups.first[:-1])
    sets, frequent = sieve(groups.table.codes, groups.table.cardinality, rows, promise.least, len(patterns.shown))
    state = Greedy(
        Part(promise.encoded, promise.kinds),
        Groups(codes=groups.table.codes, place=groups.place, sets=sets, frequent=frequent),
        groups.first,
        promise.kind,
        left,
    )
    step = min(256, max(1, _WORK_PER_CALL // table.row_types))
    for start in range(0, len(patterns.shown), step):
        take(state, patterns.shown, start, min(start + step, len(patterns.shown)), whole)
        behind = int(left.sum())
        budget.report("greedy", 1 - behind / table.rows)
        if behind < promise.least or budget.over():
            break
    return with_rest(state.found(), patterns.shown, left)


def _top_down(table: CodedTable, patterns: PatternSet, promise: Promise) -> Pieces:
    """Split the table while every part keeps the promise; each part shows the permitted mask that fits it best."""
    shown = split(promise.encoded, table.codes, table.weight, table.cost, table.cardinality)
    pieces = Pieces.of_row_types(table, np.ones(table.row_types, np.bool_), shown)
    if not patterns.listed:
        return pieces
    kinds, kind = np.unique(shown, return_inverse=True)
    fitting = [np.flatnonzero((patterns.shown & ~each) == 0)[:1] for each in kinds]
    cheapest = np.array([patterns.shown[each[0]] if len(each) else 0 for each in fitting], np.uint64)
    placed = np.array([len(each) > 0 for each in fitting])
    return replace(pieces, shown=cheapest[kind], placed=placed[kind])


def _settled(table: CodedTable, patterns: PatternSet, promise: Promise, pieces: Pieces, budget: Budget) -> Recoding:
    recoding = settle(table, patterns, promise, pieces, budget).recoding()
    return tightened(table, patterns, promise.k, recoding)
