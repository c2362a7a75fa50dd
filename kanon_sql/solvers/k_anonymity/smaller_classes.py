"""Smaller classes at the same cost: surplus rows of large classes make new ones under patterns that cost them the same.

A search for the least cost likes patterns that hide large domains, since their instances have the most rows. Once it has
ended, rows of its large classes often share k by k an instance of another pattern of the same cost.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.sieve import sieve
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import PatternSet, other_orders
from kanon_sql.table.recoding import Recoding, row_cost

_WORK_PER_CALL = 1 << 24
"""Patterns times pieces between two checks of the clock, well below a second."""

_MANY = 100_000
"""Row types beyond which classes stay: to split row types would cost the release another reading of the source."""


def with_smaller_classes(table: CodedTable, patterns: PatternSet, k: int, recoding: Recoding, budget: Budget) -> Recoding:
    """Return a recoding where every row costs the same and no class larger than k can be divided further by one new class.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns.
    patterns : PatternSet
        The permitted patterns; if they are not listed, the recoding stays.
    k : int
        Least rows of a class, all that is required.
    recoding : Recoding
        q pieces under permitted patterns, whose classes have k rows or more.
    budget : Budget
        Time left; when it ends, the classes made so far are kept.

    Notes
    -----
    A new class takes k rows from the largest classes that have more than k. So there is one class more, and the sum of the
    squared sizes falls: by at least 2 k + 1 for each row taken, against k^2 for the new class. The surplus of a class only
    shrinks, so one pass over the patterns finds all; patterns that hide small domains come first, as they have the most
    instances. O(p (m^2 q / 64 + m e)) for e eligible pieces a pattern.
    """
    if not patterns.listed or table.row_types > _MANY:
        return recoding
    order = other_orders(table, patterns)[0]
    partial = PartialRecoding.of(recoding)
    number, cost = partial.classes(table), row_cost(recoding.shown, table.cost)
    surplus = np.bincount(number, weights=recoding.count).astype(np.int64) - k
    moved: list[Int64] = []
    for level in sorted(set(cost[surplus[number] > 0].tolist())):
        here, alike = np.flatnonzero(cost == level), order.shown[order.cost == level]
        if len(alike) > 1 and not budget.over():
            found = _moves(table, alike, k, recoding, here, number, surplus, budget)
            moved += [np.stack([here[found[:, 0]], found[:, 1], alike[found[:, 2]].astype(np.int64)], axis=1)]
    moves = np.concatenate([np.empty((0, 3), np.int64), *moved])
    if not len(moves):
        return recoding
    count = recoding.count.copy()
    np.subtract.at(count, moves[:, 0], moves[:, 1])
    stays = count > 0
    divided = PartialRecoding(
        row_type=np.concatenate([recoding.row_type[stays], recoding.row_type[moves[:, 0]]]),
        shown=np.concatenate([recoding.shown[stays], moves[:, 2].astype(np.uint64)]),
        count=np.concatenate([count[stays], moves[:, 1]]),
        placed=np.ones(int(stays.sum()) + len(moves), np.bool_),
    ).recoding()
    return replace(recoding, row_type=divided.row_type, shown=divided.shown, count=divided.count)


def _moves(
    table: CodedTable, alike: Words, k: int, recoding: Recoding, here: Int64, number: Int64, surplus: Int64, budget: Budget
) -> Int64:
    """Return the moves of the pieces ``here``, which cost the same, to new classes: place in ``here``, rows and pattern."""
    from kanon_sql.kernels.classes import open_smaller

    codes = np.ascontiguousarray(table.codes[recoding.row_type[here]])
    left = recoding.count[here].copy()
    place = np.stack(mixed_radix(table.cardinality)[:2])
    by_word = np.argsort(alike)
    pattern = by_word[np.searchsorted(alike, recoding.shown[here], sorter=by_word)]
    sifted = sieve(codes, table.cardinality, left, k, len(alike))
    made = [np.empty((0, 3), np.int64)]
    step = max(1, _WORK_PER_CALL // len(here))
    for start in range(0, len(alike), step):
        batch = alike[start : start + step]
        piece = np.stack([number[here], left, pattern - start], axis=1)
        moves = np.empty((4 * len(here), 3), np.int64)
        moves = moves[: open_smaller(codes, piece, surplus, place, batch, sifted, k, moves)]
        left = piece[:, 1].copy()
        made.append(moves + np.array([0, 0, start]))
        if budget.over():
            break
    return np.concatenate(made)
