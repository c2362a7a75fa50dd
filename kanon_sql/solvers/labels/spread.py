"""`spread`: labels in descending order, a bin after the other, the last labels dealt out with the factor 5/2.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), Theorem 8, corrected: few bins need no search, and oversize labels are bins like others.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.descending import Descending
from kanon_sql.solvers.labels.fold import LEFT, filled
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

GUARANTEE = "at most 5/2 times the optimum (Du et al. 2009, Theorem 8, corrected)"


def group(weight: Int64, k: int, budget: Budget) -> Grouping:
    """Return bins whose heaviest has at most 5/2 times the rows that the best division has in its heaviest.

    Notes
    -----
    O(n log n) time, O(n) memory.
    """
    items = Descending.of(weight, k)
    budget.report("spread", 0.0)
    return items.grouping(spread(items), GUARANTEE)


def spread(items: Descending) -> Int64:
    """Return the bin of each label in descending order, int64 [n], numbered densely.

    Notes
    -----
    Proof. Let F be the full bins, each below 2 k or one oversize label; P the units of the labels left, below k; f the heaviest
    of them and r the others; OPT at least k, the heaviest label, and T / b for T units in at most b bins.

    1. F is one bin: it is oversize and forced, or T is below 3 k, so b <= 2 and OPT >= T / 2. F is two bins, h >= l: h is at
       most 2 OPT, T >= 2 l + P, b <= 4. With OPT >= T / b, l + P is at most b (l + P) / (2 l + P) <= 2 b / 3 times OPT, 2 for
       b = 3. For b = 4 it is below 5 k / 2 where l <= 3 k / 2, and else 4 (l + P) / (2 l + P) <= 5/2.
    2. F is three bins or more and 2 f <= k: the labels but f are cut where no side exceeds (r + f) / 2 < k / 2, so no bin gets
       more than k / 2, which is half of OPT, on top of less than 2 k or OPT.
    3. x + r >= k for the heaviest label x below k, in a full bin: that bin has two labels above k / 2, and still has with f
       in place of x; the new bin has x + r, below 2 k.
    4. Else no bin of labels below k has fewer than two above k / 2. Their number is odd: two in each full bin of theirs, one
       in P. So one bin has three of them, or one and an oversize label: OPT >= 3 k / 2. What is returned is below 3 k, or a
       label and P, below OPT + k.

    O(n) time and memory.
    """
    weight, k = items.weight, items.k
    place, load = filled(weight, k)
    left = np.flatnonzero(place == LEFT)
    if not len(left):
        return place
    lightest = np.argsort(load, kind="stable")
    heaviest = int(weight[left[0]])
    others = int(weight[left].sum()) - heaviest
    swapped = int(np.flatnonzero(weight < k)[0])
    if len(load) > 2 and 2 * heaviest <= k:
        before = np.cumsum(weight[left[1:]]) - weight[left[1:]]
        second = 2 * before + weight[left[1:]] <= others  # labels whose middle is before the middle of all
        place[left] = lightest[np.concatenate([[0], np.where(second, 1, 2)])]
    elif len(load) > 2 and place[swapped] != LEFT and int(weight[swapped]) + others >= k:
        place[left] = len(load)
        place[left[0]], place[swapped] = place[swapped], len(load)
    else:
        place[left] = lightest[0]
    return place
