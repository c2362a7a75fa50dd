"""`intervals`: ordered labels, released as intervals; optimal for the heaviest interval and for the least loss.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), §4, states that the problem is solvable in O(n log n) by a simple greedy algorithm. The obvious one, to close an
interval as soon as it has k rows, is not optimal: of (7, 8, 3, 5, 6, 7, 4) with k = 7 it makes an interval of 17, and 11 is
enough.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.grouping import Grouping, refuse_few
from kanon_sql.table.arrays import Int64

Objective = Literal["max", "sum"]
"""Whether the heaviest interval counts, or all rows, each with the rows of its interval."""


def group(weight: Int64, k: int, budget: Budget, *, objective: Objective) -> Grouping:
    """Divide labels into intervals of at least k rows, at the least cost.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label, in the order of the labels; positive, below 2^62 together.
    k : int
        Least rows of an interval, at least 1.
    budget : Budget
        When it ends, the heaviest interval is as light as proven so far to be possible.
    objective : {'max', 'sum'}
        ``max``: the rows of the heaviest interval, and among the divisions that are optimal in this the least sum of squares.
        ``sum``: the sum over all rows of the rows of their interval, which is the sum of squares.

    Returns
    -------
    Grouping
        Its lower bound is one on the objective; with time enough it is the optimum.

    Raises
    ------
    InfeasibleError
        If all labels together have fewer than k rows.

    Notes
    -----
    O(n log k) for ``max``, by binary search on the heaviest interval, and O(n log n) for the squares; memory O(n).
    """
    from kanon_sql.kernels.labels import least_squares

    refuse_few(weight, k)
    before = np.zeros(len(weight) + 1, np.int64)
    np.cumsum(weight, out=before[1:])
    heaviest = int(before[-1])
    if objective == "max":
        proven, heaviest = _lightest(weight, before, k, budget)
    starts, (high, low) = least_squares(before, k, heaviest)
    if objective == "sum":
        proven = (high << 62) + low
    finished = objective == "sum" or proven == heaviest
    return Grouping.of(np.cumsum(starts), proven, "optimal" if finished else "binary search")


def _lightest(weight: Int64, before: Int64, k: int, budget: Budget) -> tuple[int, int]:
    """Return bounds on the rows of the heaviest interval, and the upper one is reached; they are equal if time allows.

    Whoever closes an interval as soon as it has k rows, and adds what is left to the last one, stays within 2 (k - 1) rows
    above the heaviest label.
    """
    from kanon_sql.kernels.labels import reachable

    total, label = int(before[-1]), int(weight.max())
    low, high = max(k, label), min(total, label + 2 * (k - 1))
    width = high - low
    while low < high and not budget.over():
        budget.report("intervals", 1 - (high - low) / width, high, low)
        middle = (low + high) // 2
        if reachable(before, k, middle):
            high = middle
        else:
            low = middle + 1
    return low, high
