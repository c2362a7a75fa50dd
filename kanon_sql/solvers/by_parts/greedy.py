"""The greedy by parts: cheap patterns first, in rounds whose parts agree in other key columns; what is left is solved whole.

If too few rows are left, the nearest class is taken back first.

References
----------
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), Algorithm 1 (the greedy within a part).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.by_parts.keys import KeyColumns, divided
from kanon_sql.solvers.by_parts.workers import solved
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.sampled import sampled_patterns
from kanon_sql.solvers.k_anonymity import greedy
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

STEP = "greedy by parts"

PARTS = 16
"""A part has this share of the row types that memory holds at once: as many are solved on as many cores."""

SETS = 2
"""Rounds with other key columns for the same patterns."""

_BLOCK = 1 << 20
"""Row types whose distances are computed together."""

_TIMES = 12
"""How often classes are taken back, each time twice as many, before the rows count as impossible to place."""


def solve(problem: Problem, budget: Budget, most: int, threads: int | None = None, parts: int = PARTS) -> Recoding:
    """Return a strictly k-anonymous recoding of a table whose codes may lie in a file.

    Parameters
    ----------
    problem : Problem
        t row types without sensitive values, at least k rows.
    budget : Budget
        Time left; when it ends, the rows not yet placed are placed at once.
    most : int
        Row types that memory holds at once.
    threads : int, optional
        By default one for each core. The recoding is the same with any number.
    parts : int
        How many parts make ``most`` row types.

    Raises
    ------
    InfeasibleError
        When rows fit no permitted pattern with k - 1 others.

    Notes
    -----
    As the greedy, and O(t log t) for each round to divide the rows that are left. Memory O(t) bytes: 20 for each row type.
    """
    table, k = problem.table, problem.k
    patterns = problem.patterns if problem.patterns.listed else _sampled(table, most)
    shown = np.zeros(table.row_types, np.uint64)
    left = _without_frequent(table, patterns, k, shown)
    if len(left) > most and not budget.over():
        keys, size = KeyColumns.of(table, patterns, budget), max(1, most // parts)
        for cheap in cheaper(table, patterns):
            avoided: set[int] = set()
            for _ in range(SETS):
                columns = keys.choose(len(left), size, avoided)
                avoided.update(columns)
                left = _round(table, cheap, k, divided(table.codes, left, columns, size), budget, threads, shown)
                if len(left) <= most or budget.over():
                    return solve_rest(problem, budget, shown, left)
    return solve_rest(problem, budget, shown, left)


def _sampled(table: CodedTable, most: int) -> PatternSet:
    chosen = np.unique(np.linspace(0, table.row_types - 1, min(most, table.row_types)).astype(np.int64))
    return sampled_patterns(table.of_row_types(chosen))


def _without_frequent(table: CodedTable, patterns: PatternSet, k: int, shown: Words) -> Int64:
    """Show row types with k rows whole, if that costs nothing; return the others."""
    if patterns.cost[0]:
        return np.arange(table.row_types)
    frequent = table.weight >= k
    shown[frequent] = patterns.shown[0]
    return np.flatnonzero(~frequent)


def _round(
    table: CodedTable, patterns: PatternSet, k: int, parts: list[Int64], budget: Budget, threads: int | None, shown: Words
) -> Int64:
    """Let each part take the rows of its instances with k rows or more; return the row types left, ascending."""
    before = 1 - sum(map(len, parts)) / table.row_types
    left = []

    def work(part: Int64, quiet: Budget) -> PartialRecoding | None:
        return None if quiet.over() else cheapest_first(table.of_row_types(part), patterns, k, quiet)

    for part, found in zip(parts, solved(work, parts, budget, STEP, before, threads), strict=True):
        if found is None:
            left.append(part)
        else:
            shown[part[found.placed]] = found.shown[found.placed]
            left.append(part[~found.placed])
    return np.sort(np.concatenate(left))


def cheaper(table: CodedTable, patterns: PatternSet) -> Iterator[PatternSet]:
    """Yield the patterns that hide at most one cell, two cells and so on, at last all of them."""
    cell = int(table.cost.max())
    for cells in range(1, len(table.columns) + 1):
        until = int(np.searchsorted(patterns.cost, cells * cell, side="right"))
        if until:
            yield PatternSet(shown=patterns.shown[:until], cost=patterns.cost[:until])
        if until == len(patterns.cost):
            return


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
