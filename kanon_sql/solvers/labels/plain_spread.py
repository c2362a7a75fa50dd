"""`plain_spread`: as `fold`, but the last labels are spread over the bins: the form in which the paper measures its Theorem 8.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), section 5.
"""

from __future__ import annotations

import heapq

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.descending import BOUND, Descending
from kanon_sql.solvers.labels.fold import LEFT, filled
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

GUARANTEE = "at most 3 times the optimum (as fold; Du et al. 2009, section 5)"


def group(weight: Int64, k: int, budget: Budget) -> Grouping:
    """Return bins whose heaviest has at most three times the rows that the best division has in its heaviest.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label, in the order in which they are packed.

    Notes
    -----
    Of the labels behind the last full bin each joins the lightest bin until one would make it the heaviest of all. Those left
    then go round the bins, the lightest first, where the paper names no order. No bin takes more than all of them, so the
    factor of `fold` is kept; that of Theorem 8 is proven for `spread` only.

    O(n log n) time, O(n) memory.
    """
    items = Descending.of(weight, k)
    budget.report("plain spread", 0.0)
    place, load = filled(weight, k)
    left = np.flatnonzero(place == LEFT)
    bins = [(rows, number) for number, rows in enumerate(load.tolist())]
    heapq.heapify(bins)
    most = int(load.max())
    spread = 0
    for label in left.tolist():
        rows, number = bins[0]
        if rows + int(weight[label]) > most:
            break
        place[label] = number
        heapq.heapreplace(bins, (rows + int(weight[label]), number))
        spread += 1
    ascending = np.array([number for _, number in sorted(bins)])
    place[left[spread:]] = ascending[np.arange(len(left) - spread) % len(bins)]
    return Grouping.of(place, items.unit * items.lower_bound(), BOUND, GUARANTEE)
