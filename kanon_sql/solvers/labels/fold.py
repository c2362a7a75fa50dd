"""`fold`: labels in the order given, a bin after the other, the last labels folded into the lightest bin.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), Theorem 5.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.descending import BOUND, Descending
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

GUARANTEE = "at most 3 times the optimum (Du et al. 2009, Theorem 5)"

LEFT = -1
"""In place of a bin: the label is in none."""


def group(weight: Int64, k: int, budget: Budget) -> Grouping:
    """Return bins whose heaviest has at most three times the rows that the best division has in its heaviest.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label, in the order in which they are packed.

    Notes
    -----
    Proof. A bin has at most 2 k - 2 rows or is one oversize label of x, and fewer than k rows join one of them: the heaviest
    bin has at most max(3 k - 3, x + k - 1), and every division has one of max(k, x). All divisions have the same rows in sum,
    so there is nothing but the heaviest bin to choose by.

    O(n log n) time for the bound, O(n log b) for the b bins, O(n) memory.
    """
    items = Descending.of(weight, k)
    budget.report("fold", 0.0)
    place, load = filled(weight, k)
    place[place == LEFT] = int(load.argmin())
    return Grouping.of(place, items.unit * items.lower_bound(), BOUND, GUARANTEE)


def filled(weight: Int64, k: int) -> tuple[Int64, Int64]:
    """Put labels of k or more alone, and others in their order into bins that are closed at k; return what is full.

    Parameters
    ----------
    weight : int64 array [n]
        In the order of packing.
    k : int
        Least weight of a bin.

    Returns
    -------
    place, load : int64 arrays [n], [b]
        The bin of each label, `LEFT` for those behind the last full bin; and the weight of each bin.

    Notes
    -----
    O(n + b log n) for b bins.
    """
    place = np.full(len(weight), LEFT, np.int64)
    alone, small = np.flatnonzero(weight >= k), np.flatnonzero(weight < k)
    total = np.cumsum(weight[small])
    within, ends = total.tolist(), [0]
    below = 0
    while (last := bisect_left(within, below + k, ends[-1])) < len(within):
        ends.append(last + 1)
        below = within[last]
    closed = np.array(ends)
    place[alone] = np.arange(len(alone))
    place[small[: closed[-1]]] = len(alone) + np.repeat(np.arange(len(closed) - 1), np.diff(closed))
    return place, np.concatenate([weight[alone], np.diff(total[closed[1:] - 1], prepend=0)])
