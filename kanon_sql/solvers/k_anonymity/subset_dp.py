"""`subset_dp`: the optimum of a tiny table, by dynamic programming over the subsets of its rows.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 8 (there for t-closeness).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.k_anonymity.greedy import solve as greedy
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding, row_cost

MOST_ROWS = 18
"""3^17 / 2 pairs of a subset and a class take some tenths of a second, and each further row three times that."""

_SUBSETS_PER_CALL = 1 << 13
"""Subsets between two checks of the clock, well below a second."""


Keeps = Callable[[Int64], NDArray[np.bool_]]
"""Tells of subsets of the rows, as bits, whether they may be classes."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a k-anonymous recoding of least cost.

    Parameters
    ----------
    problem : Problem
        At most 18 rows.
    budget : Budget
        Time left; when it ends, the greedy's recoding is returned, without a bound.

    Raises
    ------
    PolicyError
        When the table has more than 18 rows.
    InfeasibleError
        When the rows cannot be divided into classes under the patterns.

    Notes
    -----
    Only classes of k to 2 k - 1 rows are tried: a larger one can be divided, and each part keeps its pattern at the same cost
    a row. Time and memory as for `cheapest_division`.
    """
    table, k = problem.table, problem.k
    refuse_many(table, MOST_ROWS)
    found = cheapest_division(table, problem.patterns, range(k, 2 * k), everything, budget)
    return greedy(problem, budget) if found is None else found


def takes(problem: Problem) -> bool:
    """Return whether the table is small enough."""
    return problem.table.rows <= MOST_ROWS


def close_gap(problem: Problem, _: Recoding | None, budget: Budget) -> Recoding:
    """Return what `solve` returns: it needs no release to start from."""
    return solve(problem, budget)


def refuse_many(table: CodedTable, most: int) -> None:
    """Raise a PolicyError when the table has more than ``most`` rows."""
    if table.rows > most:
        raise PolicyError(
            f"subset_dp supports at most {most} rows, but the table has {table.rows}; hint: use the algorithm 'optimal'"
        )


def everything(subsets: Int64) -> NDArray[np.bool_]:
    """Permit all subsets."""
    return np.ones(len(subsets), np.bool_)


def rows_of(table: CodedTable) -> Int32:
    """Return the row type of each row, int32 [n]: bit r of a subset stands for row r."""
    return np.repeat(np.arange(table.row_types, dtype=np.int32), table.weight)


def cheapest_division(table: CodedTable, patterns: PatternSet, sizes: range, keeps: Keeps, budget: Budget) -> Recoding | None:
    """Return the cheapest division of n rows into classes; None when the time is up before.

    Parameters
    ----------
    sizes : range
        Numbers of rows of a class.
    keeps : callable
        Which subsets of these sizes may be classes.

    Raises
    ------
    InfeasibleError
        When there is no division.

    Notes
    -----
    Of the classes of a partition the one that holds the highest row can be chosen first, so O(3^n) time suffices, 2^n numbers
    of memory, and O(a p) for the p patterns and the a different agreements of classes.
    """
    cost, shown = _classes(table, patterns, sizes, keeps)
    best = np.zeros_like(cost)
    chosen = np.zeros_like(cost)
    everyone = len(cost) - 1
    if not _fill(cost, best, chosen, budget):
        return None
    if not chosen[everyone]:
        raise InfeasibleError(
            f"the {table.rows} rows cannot be divided into classes of {sizes.start} rows or more under the "
            f"{len(patterns.shown)} permitted masks; hint: permit masks that show less, or the mask (), which "
            "suppresses everything"
        )
    shown_by_row = np.zeros(table.rows, np.uint64)
    left = everyone
    while left:
        shown_by_row[(chosen[left] >> np.arange(table.rows)) & 1 == 1] = shown[chosen[left]]
        left ^= int(chosen[left])
    one = np.ones(table.rows, np.int64)
    partial = PartialRecoding(row_type=rows_of(table), shown=shown_by_row, count=one, placed=one.astype(np.bool_))
    return replace(partial.recoding(), lower_bound=int(best[everyone]), bound="dynamic programming over subsets")


def _classes(table: CodedTable, patterns: PatternSet, sizes: range, keeps: Keeps) -> tuple[Int64, Words]:
    """Return for each subset of the rows its cost as one class, and what the class shows."""
    from kanon_sql.kernels.partitions import IMPOSSIBLE, class_agreements, first_fitting

    subset, agreement = class_agreements(table.codes[rows_of(table)], sizes.start, sizes.stop - 1)
    kept = keeps(subset)
    subset, agreement = subset[kept], agreement[kept]
    distinct, which = np.unique(agreement, return_inverse=True)
    pattern, price = distinct, row_cost(distinct, table.cost)
    if patterns.listed:
        first = first_fitting(distinct, patterns.shown)
        permitted = first[which] >= 0
        subset, which = subset[permitted], which[permitted]
        pattern, price = patterns.shown[first], patterns.cost[first]
    cost = np.full(1 << table.rows, IMPOSSIBLE, np.int64)
    shown = np.zeros(1 << table.rows, np.uint64)
    cost[subset] = price[which] * np.bitwise_count(subset)
    shown[subset] = pattern[which]
    return cost, shown


def _fill(cost: Int64, best: Int64, chosen: Int64, budget: Budget) -> bool:
    """Fill the table of the dynamic program; False when the time is up before the end."""
    from kanon_sql.kernels.partitions import cheapest_partitions

    everyone = len(cost) - 1
    # The first class takes the highest row, so of the subsets that hold it only the whole table is needed.
    half = len(cost) // 2
    for start in range(1, half, _SUBSETS_PER_CALL):
        if budget.over():
            return False
        budget.report("subsets", start / half)
        cheapest_partitions(cost, best, chosen, start, min(half, start + _SUBSETS_PER_CALL))
    cheapest_partitions(cost, best, chosen, everyone, everyone + 1)
    return True
