"""The rows that no part has placed: they are solved whole; where they are too few, the nearest class is taken back first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity import greedy
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

_BLOCK = 1 << 20
"""Row types whose distances are computed together."""

_TIMES = 12
"""How often classes are taken back, each time twice as many, before the rows count as impossible to place."""


def solve_rest(problem: Problem, budget: Budget, shown: Words, left: Int64) -> Recoding:
    """Return the recoding of all rows, given what the placed ones show.

    Parameters
    ----------
    problem : Problem
        The whole table.
    shown : uint64 array [t]
        What each placed row type shows, in classes of k rows or more.
    left : int64 array
        The row types that are not placed, ascending.

    Raises
    ------
    InfeasibleError
        When they fit no permitted pattern with rows of the classes that were taken back.
    """
    table, k = problem.table, problem.k
    placed = np.ones(table.row_types, np.bool_)
    placed[left] = False
    if not len(left):
        return _recoding(table, placed, shown, None)
    if budget.over() and _may_hide_all(problem) and table.weight[left].sum() >= k:
        placed[left] = True
        shown[left] = 0  # no time to look for anything cheaper
        return _recoding(table, placed, shown, None)
    for times in range(_TIMES):
        try:
            if table.weight[~placed].sum() >= k:
                rest = np.flatnonzero(~placed)
                found = greedy.solve(replace(problem, table=table.of_row_types(rest)), budget)
                return _recoding(table, placed, shown, replace(found, row_type=rest[found.row_type].astype(np.int32)))
        except InfeasibleError:
            if placed.sum() == 0 or times == _TIMES - 1:
                raise
        targets = left[np.linspace(0, len(left) - 1, min(len(left), 1 << times)).astype(np.int64)]
        for target in targets.tolist():
            if placed.any():
                placed[_nearest_class(table, placed, shown, target)] = False
    raise AssertionError("the table has fewer than k rows")


def _may_hide_all(problem: Problem) -> bool:
    return not problem.patterns.listed or not problem.patterns.shown[-1]


def _recoding(table: CodedTable, placed: np.ndarray, shown: Words, rest: Recoding | None) -> Recoding:
    """Return the placed row types, each one piece, together with the pieces of the rest."""
    here = np.flatnonzero(placed)
    whole = Recoding(row_type=here.astype(np.int32), shown=shown[here], count=table.weight[here])
    if rest is None:
        return whole
    row_type = np.concatenate([whole.row_type, rest.row_type])
    order = np.argsort(row_type, kind="stable")
    return Recoding(
        row_type=row_type[order],
        shown=np.concatenate([whole.shown, rest.shown])[order],
        count=np.concatenate([whole.count, rest.count])[order],
    )


def _nearest_class(table: CodedTable, placed: np.ndarray, shown: Words, target: int) -> Int64:
    """Return the row types of the placed class that costs least for each row to look like a row type that is not placed.

    Notes
    -----
    O(t m), a block of row types at a time.
    """
    wanted = table.codes[target]
    place = np.arange(len(table.columns), dtype=np.uint64)
    best, nearest = 1 << 62, -1
    for start in range(0, table.row_types, _BLOCK):
        here = slice(start, start + _BLOCK)
        visible = (shown[here, None] >> place & np.uint64(1)).astype(np.bool_) & (table.codes[here] == wanted)
        cost = np.where(placed[here], (~visible) @ table.cost, 1 << 62)
        first = int(np.argmin(cost))
        if cost[first] < best:
            best, nearest = int(cost[first]), start + first
    columns = [c for c in range(len(table.columns)) if int(shown[nearest]) >> c & 1]
    alike = placed & (shown == shown[nearest])
    for column in columns:
        alike[alike] = table.codes[alike, column] == table.codes[nearest, column]
    return np.flatnonzero(alike)
