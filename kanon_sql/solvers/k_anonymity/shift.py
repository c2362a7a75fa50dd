"""The shift pass: expensive rows found new, cheaper classes with surplus rows of classes above k.

After the greedy no row fits an open class that is cheaper than its own, and no k expensive rows share a cheaper instance: it
would have taken them. But fewer than k of them may share one that rows of cheaper classes can fill up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.sieve import sieve
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import row_cost

_WORK_PER_CALL = 1 << 24
"""Patterns times pieces between two checks of the clock, well below a second."""


def shift(table: CodedTable, patterns: PatternSet, k: int, partial: PartialRecoding, budget: Budget) -> PartialRecoding:
    """Move surplus rows into new classes that save cells; every class keeps at least k rows.

    Notes
    -----
    One pass over the patterns in use (a few hundred of thousands); O(p (m^2 q / 64 + m e)) for q pieces in classes above k,
    e of them eligible.
    """
    if budget.over() or not patterns.listed:
        return partial
    from kanon_sql.kernels.classes import shift_rows

    number = partial.classes(table)
    surplus = np.bincount(number, weights=partial.count).astype(np.int64) - k
    cost = row_cost(partial.shown, table.cost)
    movable = np.flatnonzero(surplus[number] > 0)
    if not len(movable):
        return partial
    codes = np.ascontiguousarray(table.codes[partial.row_type[movable]])
    piece = np.stack([number[movable], partial.count[movable], cost[movable]], axis=1)
    place = np.stack(mixed_radix(table.cardinality)[:2])
    used = np.isin(patterns.shown, np.unique(partial.shown))
    ordered = np.stack([patterns.shown[used].astype(np.int64), patterns.cost[used]], axis=1)
    sifted = sieve(codes, table.cardinality, piece[:, 1].copy(), k, len(ordered))
    made = [np.empty((0, 3), np.int64)]
    step = max(1, _WORK_PER_CALL // len(movable))
    for start in range(0, len(ordered), step):
        moves = np.empty((2 * len(movable), 3), np.int64)
        batch = ordered[start : start + step]
        moves = moves[: shift_rows(codes, piece, surplus, place, batch, sifted, k, moves)]
        made.append(moves + np.array([0, 0, start]))
        if budget.over():
            break
        budget.report("shift", min(1.0, (start + len(batch)) / len(ordered)))
    moved = np.concatenate(made)
    count = partial.count.copy()
    np.subtract.at(count, movable[moved[:, 0]], moved[:, 1])
    stays = count > 0
    return replace(
        partial,
        row_type=np.concatenate([partial.row_type[stays], partial.row_type[movable[moved[:, 0]]]]),
        shown=np.concatenate([partial.shown[stays], ordered[moved[:, 2], 0].astype(np.uint64)]),
        count=np.concatenate([count[stays], moved[:, 1]]),
        placed=np.ones(int(stays.sum()) + len(moved), np.bool_),
    )
