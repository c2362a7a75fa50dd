"""Cuts of the nodes of a kd-tree, which holds weighted points in the plane.

A *node* is a set of points in two orders, one for each axis: ``order[:, first:last]`` of an int64 array [2, n]. Rows of a point
beyond k are of no use to its group, so the rows that decide about a cut are capped: at most k of each point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64, empty_int64_2d


@cython.final
@cython.cclass
class KDTreeWorkspace:
    """The points of a kd-tree, and scratch arrays.

    Parameters
    ----------
    rank, weight : int64 arrays [2, n], [n]
        Coordinates and rows of each point.
    k, step : int
        Least rows of a group, and rows of excess that a cut may cost for the sake of balance.

    Attributes
    ----------
    capped : int64 array [n]
        At most k of the rows of each point.
    trial : int64 array [2, n]
        The points by each of the coordinates, of a node that is cut on trial.
    above : int64 array [n]
        The points above a cut.
    candidate : int64 array [4, 2]
        Axis and place of cuts.
    begin, end : int64 arrays [n + 1]
        A stack of nodes on trial.
    """

    def __init__(self, rank: NDArray[np.int64], weight: NDArray[np.int64], k: cython.longlong, step: cython.longlong) -> None:
        n = len(weight)
        self.rank, self.weight, self.k, self.step = rank, weight, k, step
        self.capped = np.minimum(weight, k)
        self.trial, self.above = empty_int64_2d(2, n), empty_int64(n)
        self.candidate = empty_int64_2d(4, 2)
        self.begin, self.end = empty_int64(n + 1), empty_int64(n + 1)


def _excess(rows, k):
    """Return the least rows above k of the heaviest of the groups, as many as there can be, that share the rows."""
    groups = rows // k
    return (rows % k + groups - 1) // groups


def worse(one, other):
    """Return whether one cut is worse than the other."""
    if one[1] != other[1]:
        return one[1] > other[1]
    if one[2] != other[2]:
        return one[2] > other[2]
    return one[3] > other[3]


def best_cut(work, order, first, last, axis, step):
    """Return the best cut of a node along an axis.

    Returns
    -------
    place : int
        How many points it leaves below it; 0 if there is no cut.
    uneven : int
        1 if a side keeps less than a fifth, else 0. A cut is bad by this, then by the excess, then by the larger side.
    excess : int
        How many whole steps of rows above k one of the groups has at least.
    larger : int
        Rows of the larger side.

    Notes
    -----
    O(last - first).
    """
    cut: tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong]
    k = work.k
    total = 0
    below = 0
    for p in range(first, last):
        total += work.capped[order[axis, p]]
    best: tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong] = (0, 1, total, total)
    for p in range(first + 1, last):
        i = order[axis, p - 1]
        below += work.capped[i]
        above = total - below
        if above < k:
            break
        if below >= k and work.rank[axis, i] < work.rank[axis, order[axis, p]]:
            larger = max(below, above)
            uneven = total - larger < (total + 4) // 5
            if best[0] and uneven > best[1]:
                continue  # saves the divisions
            cut = (p - first, uneven, max(_excess(below, k), _excess(above, k)) // step, larger)
            if best[0] == 0 or worse(best, cut):
                best = cut
    return best


def cut_node(work, order, first, last, axis, place):
    """Bring the points below the cut to the front of the other order too, both sides in the order they had; O(last - first)."""
    other = 1 - axis
    bound = work.rank[axis, order[axis, first + place]]
    low = first
    high = 0
    for p in range(first, last):
        i = order[other, p]
        if work.rank[axis, i] < bound:
            order[other, low] = i
            low += 1
        else:
            work.above[high] = i
            high += 1
    for p in range(high):
        order[other, low + p] = work.above[p]
