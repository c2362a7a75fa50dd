"""kd-trees: weighted points in the plane, cut in two along an axis as long as both sides keep k rows.

A *node* is a set of points in two orders, one for each axis: an int64 array [2, s]. Rows of a point beyond k are of no use to
its group, so the rows that decide about a cut are capped: at most k of each point.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.squares import plus, square


@njit(cache=True, nogil=True)
def _excess(rows: int, k: int) -> int:
    """Return the least rows above k of the heaviest of the groups, as many as there can be, that share the rows."""
    return -(-(rows % k) // (rows // k))


@njit(cache=True, nogil=True)
def _best_cut(
    rank: NDArray[np.int64], member: NDArray[np.int64], weight: NDArray[np.int64], k: int, step: int
) -> tuple[int, tuple[bool, int, int]]:
    """Return how many points the best cut along an axis leaves below it, 0 if there is none, and how bad it is.

    Parameters
    ----------
    rank : int64 array [n]
        Coordinates along the axis.
    member : int64 array [s]
        The points of the node, by coordinate.
    weight : int64 array [n]
        Rows of each point.
    k, step : int
        Least rows of a side; how many rows of excess are as good as none.

    Notes
    -----
    O(s). A cut is bad if a side keeps less than a fifth; else by the excess in whole steps; else by the rows of the larger
    side.
    """
    total = 0
    for i in member:
        total += min(weight[i], k)
    place, badness, below = 0, (True, total, total), 0
    for p in range(1, len(member)):
        below += min(weight[member[p - 1]], k)
        above = total - below
        if above < k:
            break
        if below >= k and rank[member[p - 1]] < rank[member[p]]:
            larger = max(below, above)
            bad = (total - larger < -(-total // 5), max(_excess(below, k), _excess(above, k)) // step, larger)
            if place == 0 or bad < badness:
                place, badness = p, bad
    return place, badness


@njit(cache=True, nogil=True)
def _cut(rank: NDArray[np.int64], node: NDArray[np.int64], axis: int, place: int) -> None:
    """Bring the points below the cut to the front of the other order too, both sides in the order they had; O(s)."""
    other = node[1 - axis]
    bound = rank[axis, node[axis, place]]
    above = np.empty(len(other) - place, np.int64)
    low, high = 0, 0
    for i in other:
        if rank[axis, i] < bound:
            other[low] = i
            low += 1
        else:
            above[high] = i
            high += 1
    other[low:] = above


@njit(cache=True, nogil=True)
def _outlook(
    rank: NDArray[np.int64], node: NDArray[np.int64], weight: NDArray[np.int64], k: int, step: int
) -> tuple[int, tuple[int, int]]:
    """Divide a node by the best cut of both axes, again and again; return its heaviest group and its sum of squares."""
    heaviest, squares = 0, (0, 0)
    part = np.empty((node.shape[1] + 1, 2), np.int64)
    part[0] = 0, node.shape[1]
    parts = 1
    while parts:
        parts -= 1
        first, last = part[parts]
        inside = node[:, first:last]
        place, bad = _best_cut(rank[0], inside[0], weight, k, step)
        axis = 0
        other, worse = _best_cut(rank[1], inside[1], weight, k, step)
        if place == 0 or (other and worse < bad):
            axis, place = 1, other
        if place == 0:
            rows = weight[inside[0]].sum()
            heaviest = max(heaviest, rows)
            squares = plus(squares, square(rows))
            continue
        _cut(rank, inside, axis, place)
        part[parts] = first, first + place
        part[parts + 1] = first + place, last
        parts += 2
    return heaviest, squares


@njit(cache=True, nogil=True)
def _candidates(
    rank: NDArray[np.int64],
    node: NDArray[np.int64],
    weight: NDArray[np.int64],
    k: int,
    step: int,
    candidate: NDArray[np.int64],
) -> int:
    """Fill ``candidate`` [4, 2] with axis and place of the best cuts, and return how many differ; bad ones only if all are."""
    found, all_bad = 0, True
    for tolerance in (step, k):
        for axis in range(2):
            place, bad = _best_cut(rank[axis], node[axis], weight, k, tolerance)
            if place == 0 or bad[0] > all_bad:
                continue
            if bad[0] < all_bad:
                found, all_bad = 0, False
            known = False
            for c in range(found):
                known = known or (candidate[c, 0] == axis and candidate[c, 1] == place)
            if not known:
                candidate[found] = axis, place
                found += 1
    return found


@njit(cache=True, nogil=True)
def divide(
    rank: NDArray[np.int64], order: NDArray[np.int64], weight: NDArray[np.int64], k: int, step: int, unavoidable: int
) -> NDArray[np.int64]:
    """Divide points into groups of at least k rows by cuts between two coordinates, until no group can be cut.

    At each node the best cuts of both axes are tried, with regard to the excess and without, and what comes of each by
    `_outlook` decides: the heaviest group, then the least sum of squares.

    Parameters
    ----------
    rank : int64 array [2, n]
        Coordinates of distinct points.
    order : int64 array [2, n]
        The points by each of the coordinates; is reordered.
    weight : int64 array [n]
        Rows of each point; positive, k or more and below 2^62 together.
    k : int
        Least rows of a group.
    step : int
        Rows of excess that a cut may cost for the sake of balance.
    unavoidable : int
        Rows that some group has in any case: lighter groups count as that heavy.

    Returns
    -------
    int64 array [n]
        The group of each point, dense from 0.

    Notes
    -----
    O(n log^2(T / k)) for T capped rows in all; memory O(n). That the tree is only O(log(T / k)) deep: the column and the row
    of the medians share one point, so they have at most T + k rows together, and one of them, c, at most (T + k) / 2. Of the
    two sides of c, none has more than T / 2, and one has at least (T - c) / 2 >= (T - k) / 4. From T = 5 k on that is a
    fifth of T and at least k, so the cut that leaves c on the other side is allowed, and both sides keep a fifth.
    """
    n = len(weight)
    group = np.zeros(n, np.int64)
    trial = np.empty_like(order)
    part = np.empty((n + 1, 2), np.int64)
    part[0] = 0, n
    parts, groups = 1, 0
    candidate = np.empty((4, 2), np.int64)
    while parts:
        parts -= 1
        first, last = part[parts]
        node = order[:, first:last]
        candidates = _candidates(rank, node, weight, k, step, candidate)
        if candidates == 0:
            group[node[0]] = groups
            groups += 1
            continue
        best, least = 0, (0, 0, 0)
        for c in range(candidates if candidates > 1 else 0):
            axis, place = candidate[c]
            look = trial[:, first:last]
            look[:] = node
            _cut(rank, look, axis, place)
            below, below_squares = _outlook(rank, look[:, :place], weight, k, step)
            above, above_squares = _outlook(rank, look[:, place:], weight, k, step)
            high, low = plus(below_squares, above_squares)
            found = (max(below, above, unavoidable), high, low)
            if c == 0 or found < least:
                best, least = c, found
        axis, place = candidate[best]
        _cut(rank, node, axis, place)
        part[parts] = first, first + place
        part[parts + 1] = first + place, last
        parts += 2
    return group
