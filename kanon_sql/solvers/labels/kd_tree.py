"""`kd_tree`: points in the plane, released as disjoint rectangles; at most five times the rows of the optimum.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), §3, Theorem 2. That no polynomial algorithm has a factor below 1.33 unless P = NP is proven there too.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.grouping import Grouping, refuse_few
from kanon_sql.table.arrays import Int64

GUARANTEE = "at most 5 times the optimum (Du et al. 2009, Theorem 2)"


def group(x: Int64, y: Int64, weight: Int64, k: int, budget: Budget) -> Grouping:
    """Divide points into groups of at least k rows by cuts between two coordinates, until no group can be cut.

    The bounding boxes of two groups are disjoint: some cut has them on different sides, and it lies strictly between two
    coordinates.

    Parameters
    ----------
    x, y : int64 arrays [n]
        Coordinates of the points, as dense ranks. Points that are equal in both stay together and should be given as one.
    weight : int64 array [n]
        Rows of each point; positive, below 2^62 together.
    k : int
        Least rows of a group, at least 1.
    budget : Budget
        The first of up to three divisions is always made, the others only while time is left; the lightest is kept.

    Returns
    -------
    Grouping
        The heaviest group has at most c + 4 (k - 1) rows, c being those of its heaviest point; so at most 5 times the
        optimum, which is at least max(c, k).

    Raises
    ------
    InfeasibleError
        If all points together have fewer than k rows.

    Notes
    -----
    Proof of the factor: the first column of points up to which a group has k rows has fewer than k on its left, and, as no
    cut is possible, on its right. So all but 2 (k - 1) rows lie in one column, likewise in one row, and both share one point.

    O(n (log n + log^2(T / k))) time for T rows in all, O(n) memory.
    """
    from kanon_sql.kernels.labels import divide

    refuse_few(weight, k)
    lower_bound, bound = least_heaviest(weight, k)
    rank = np.stack([x, y])
    order = np.stack([np.argsort(x, kind="stable"), np.argsort(y, kind="stable")])
    steps = sorted({1, max(1, k // 32), max(1, k // 16)})  # which is best differs from table to table, so all are tried
    costs: list[tuple[int, int]] = []
    divisions: list[Grouping] = []
    for step in steps:
        if divisions and budget.over():
            break
        division = Grouping.of(divide(rank, order.copy(), weight, k, step, lower_bound), lower_bound, bound, GUARANTEE)
        rows = division.rows(weight).tolist()
        costs.append((max(rows), sum(count * count for count in rows)))
        divisions.append(division)
        budget.report("rectangles", len(divisions) / len(steps), min(costs)[0], lower_bound)
    return divisions[costs.index(min(costs))]


def least_heaviest(weight: Int64, k: int) -> tuple[int, str]:
    """Return a lower bound on the rows of the heaviest group, whatever the division into groups of k rows; and its name.

    Some group has the heaviest label. Cap each label at k rows: a group still has k, so the capped rows divided by k are the
    most groups that there can be, and the heaviest group has at least the mean of so many.
    """
    groups = sum(min(rows, k) for rows in weight.tolist()) // k
    mean, label = -(-int(weight.sum()) // groups), int(weight.max())
    return (label, "heaviest label") if label >= mean else (mean, "most groups")
