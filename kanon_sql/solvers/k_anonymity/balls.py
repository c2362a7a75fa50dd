"""`balls`: a greedy cover by the rows around a row, made a partition.

References
----------
Meyerson, Williams: On the Complexity of Optimal K-Anonymity (PODS 2004), section 4.3.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.disjoint import DisjointClasses
from kanon_sql.solvers.instances.partition import released
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Recoding

MOST_ROW_TYPES = 60_000
"""The time grows with the square of the row types."""

_WORK_PER_CALL = 1 << 26
"""Distances times columns between two checks of the clock, well below a second."""

_DISTANCES = 1 << 12
"""Different distances that are distinguished; weights that add up to more are rounded for the choice of balls."""

_TURNS_PER_REPORT = 64


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding of at most 6 k (1 + ln 2 k) times the optimum's cost.

    Parameters
    ----------
    problem : Problem
        At most 60,000 row types, at least k rows.
    budget : Budget
        Time left; when it ends, the rows in no class are divided top down.

    Returns
    -------
    Recoding
        The factor is proven where all masks are permitted, for weights whose whole-number ratios add up to at most 4,096
        (unit weights do): distances are weighted.

    Raises
    ------
    PolicyError
        When the table has more than 60,000 row types.

    Notes
    -----
    Proof. As for `cover`, of which each class T of an optimum lies in the ball of radius d(T) around any of its rows, and the
    rows of that ball differ in at most 2 d(T). A set is k to 2 k - 1 rows of a ball, and counts with twice its radius: that
    makes 2 (1 + ln 2 k) times the least sum of diameters, and sets no larger than the proof of the cost needs.

    The paper takes whole balls and claims 6 k (1 + ln m). But a ball may have any number of rows: the greedy's factor then
    is 1 + ln n, and its classes differ in as much as the ball whatever the number of them.

    The best balls only become more expensive as rows find classes, so each one is measured again only when its last measure
    is the least. O(t^2 m) time for the first measure; O(t m) for each further one; memory O(t m).
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    if table.row_types > MOST_ROW_TYPES:
        raise PolicyError(
            f"balls supports at most {MOST_ROW_TYPES:,} row types, but the table has {table.row_types:,}; "
            "hint: use the algorithm 'forest', which has no such limit"
        )
    from kanon_sql.kernels.partitions import alike_first, best_balls, distances

    classes = DisjointClasses(table, k)
    by_column = np.ascontiguousarray(table.codes.T)
    cost = _distance_costs(table.cost)
    distance = np.empty(table.row_types, np.int32)

    def over() -> bool:
        return budget.over() and int(classes.left.sum()) >= k

    def measured(center: Int64) -> list[tuple[int, int, int]]:
        """Return price, center and radius of the best balls around some row types."""
        found = best_balls(by_column, cost, table.weight, classes.left, center, k)
        price = (found[:, 0] << 32) // found[:, 1]  # equal ratios stay equal, others apart while (2 k)^2 < 2^32
        return list(zip(price.tolist(), center.tolist(), found[:, 0].tolist(), strict=True))

    open_ = np.flatnonzero(classes.left)
    queue: list[tuple[int, int, int]] = []
    step = max(1, _WORK_PER_CALL // table.codes.size)
    for start in range(0, len(open_), step):
        if over():
            return released(table, patterns, k, classes.finished(), budget)
        queue += measured(open_[start : start + step])
        budget.report("balls: measure", min(1.0, (start + step) / len(open_)))
    heapq.heapify(queue)
    turn = 0
    while queue and not over():
        center = heapq.heappop(queue)[1]
        if not classes.left[center]:
            continue
        turn += 1
        if turn % _TURNS_PER_REPORT == 0:
            budget.report("balls: cover", 1 - int(classes.left.sum()) / table.rows)
        (ball,) = measured(np.array([center]))
        if queue and ball > queue[0]:
            heapq.heappush(queue, ball)
            continue
        distances(by_column, cost, center, distance)
        inside = np.flatnonzero(distance <= ball[2])
        near = inside[np.argsort(distance[inside], kind="stable")]
        alike_first(table.codes, cost, classes.left[near], 2 * k - 1, near)
        classes.add(near, table.weight[near])
    return released(table, patterns, k, classes.finished(), budget)


def _distance_costs(cost: Int64) -> NDArray[np.int32]:
    """Return the costs as small whole numbers, in the same ratios where they allow it."""
    small = cost // math.gcd(*cost.tolist())
    total = int(small.sum())
    if total > _DISTANCES:
        small = np.maximum(1, small * _DISTANCES // total)
    return small.astype(np.int32)
