"""`guillotine`: few points in the plane, released as the best rectangles that cuts from side to side can make.

What is proven: no such division has a lighter heaviest rectangle, nor, with the same, a smaller sum of squares. Other
divisions into disjoint rectangles may be lighter (four around a fifth, like a pinwheel), so the lower bound, which holds for
all of them, may stay below.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), §3: the problem, and that it is NP-hard for divisions of any kind.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.grouping import Grouping, refuse_few
from kanon_sql.solvers.labels.kd_tree import least_heaviest
from kanon_sql.table.arrays import Int64

GUARANTEE = "the optimum of guillotine cuts (dynamic programming)"

MOST_COORDINATES = 32
"""The 280,000 rectangles of 32 x 32 coordinates take a second; the time grows with the fifth power."""


def group(x: Int64, y: Int64, weight: Int64, k: int, budget: Budget) -> Grouping:
    """Divide points into groups of at least k rows by cuts between two coordinates, with the lightest heaviest group.

    The bounding boxes of two groups are disjoint, as in `kanon_sql.solvers.labels.kd_tree`.

    Parameters
    ----------
    x, y : int64 arrays [n]
        Coordinates of the points, as dense ranks.
    weight : int64 array [n]
        Rows of each point; positive, below 2^62 together.
    k : int
        Least rows of a group, at least 1.
    budget : Budget
        When it ends, the lightest division so far is returned.

    Returns
    -------
    Grouping
        Of the guillotine divisions whose heaviest group is the lightest, one with the least sum of squares. The lower
        bound holds for all divisions into disjoint rectangles.

    Raises
    ------
    InfeasibleError
        If all points together have fewer than k rows.
    PolicyError
        If there are more than 32 different coordinates on an axis.

    Notes
    -----
    O(p^2 q^2 (p + q) log(p q)) time and O(p^2 q^2) memory for p and q different coordinates.
    """
    from kanon_sql.kernels.labels import least_squares_cuts

    refuse_few(weight, k)
    before = sums(x, y, weight)
    rectangles = np.concatenate([np.subtract.outer(columns, columns).ravel() for columns in _column_sums(before)])
    lower_bound, bound = lower_bound_of(x, y, weight, before, k)
    choices = np.unique(rectangles[rectangles >= lower_bound])
    low, high = 0, len(choices) - 1
    _, cut = least_squares_cuts(before, k, int(choices[high]))
    width = max(1, high)
    while low < high and not budget.over():
        budget.report("rectangles", 1 - (high - low) / width, int(choices[high]), lower_bound)
        middle = (low + high) // 2
        possible, found = least_squares_cuts(before, k, int(choices[middle]))
        if possible:
            high, cut = middle, found
        else:
            low = middle + 1
    guarantee = GUARANTEE if low >= high else "nothing is guaranteed, as the search was stopped"
    return Grouping.of(_groups(x, y, cut), lower_bound, bound, guarantee)


def sums(x: Int64, y: Int64, weight: Int64, name: str = "guillotine") -> Int64:
    """Return the rows in the first so many columns and rows of the grid of coordinates, int64 [p + 1, q + 1]."""
    p, q = int(x.max()) + 1, int(y.max()) + 1
    if max(p, q) > MOST_COORDINATES:
        raise PolicyError(
            f"{name} supports at most {MOST_COORDINATES} different coordinates on an axis, but the points have {p} and {q}; "
            "hint: use the algorithm 'kd_tree'"
        )
    before = np.zeros((p + 1, q + 1), np.int64)
    np.add.at(before, (x + 1, y + 1), weight)
    return before.cumsum(axis=0).cumsum(axis=1)


def _column_sums(before: Int64) -> list[Int64]:
    """Return for each range of columns the rows of the table in the first so many rows of the grid."""
    return [before[b] - before[a] for b in range(len(before)) for a in range(b)]


def lower_bound_of(x: Int64, y: Int64, weight: Int64, before: Int64, k: int) -> tuple[int, str]:
    """Return the bound for groups of any form, or that of the lightest rectangle of k rows around some point, if greater."""
    from kanon_sql.kernels.labels import lightest_around

    lower_bound, bound = least_heaviest(weight, k)
    around = int(lightest_around(before, k)[x, y].max())
    return (around, "lightest rectangle around a point") if around > lower_bound else (lower_bound, bound)


def _groups(x: Int64, y: Int64, cut: NDArray[np.int16]) -> Int64:
    """Return the group of each point, in any order, from the best cut of each rectangle."""
    group = np.zeros(len(x), np.int64)
    left = [(0, cut.shape[1] - 1, 0, cut.shape[3] - 1)]
    groups = 0
    while left:
        a, b, c, d = left.pop()
        m = int(cut[a, b, c, d])
        if m > 0:
            left += [(a, m, c, d), (m, b, c, d)]
        elif m < 0:
            left += [(a, b, c, -m), (a, b, -m, d)]
        else:
            group[(a <= x) & (x < b) & (c <= y) & (y < d)] = groups
            groups += 1
    return group
