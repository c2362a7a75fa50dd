"""Balls: the rows around a row, by the distance at which they are reached."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython

_BLOCK = cython.declare(cython.longlong, 1 << 12)
"""Row types that are measured column after column while their distances stay in the nearest cache."""


def distances(by_column: cython.int[:, ::1], cost: cython.int[::1], center: cython.longlong, distance: cython.int[::1]) -> None:
    """Fill ``distance`` [t]: the cost of the columns in which a row type differs from the center. O(m t)."""
    with cython.nogil:
        _measure(by_column, cost, center, distance)


def _measure(by_column, cost, center, distance):
    low = 0
    while low < distance.shape[0]:
        high = min(low + _BLOCK, distance.shape[0])
        for i in range(low, high):
            distance[i] = 0
        for c in range(by_column.shape[0]):
            _add_distances(by_column[c, low:high], by_column[c, center], cost[c], distance[low:high])
        low = high


def _add_distances(codes, own, step, distance):
    """Add a step to the distance of each row type with another code."""
    for i in range(codes.shape[0]):
        distance[i] += step if codes[i] != own else 0


def best_balls(
    by_column: NDArray[np.int32],
    cost: NDArray[np.int32],
    weight: NDArray[np.int64],
    left: NDArray[np.int64],
    center: NDArray[np.int64],
    k: int,
) -> NDArray[np.int64]:
    """Return the best ball around each center, int64 [c, 2]: its radius, and the rows of a class in it that are new.

    A ball has at least k rows, and a class in it at most 2 k - 1. Best is the least radius for each new row, and among
    equally good balls the smallest.

    Parameters
    ----------
    by_column : int32 array [m, t]
        Codes, a column after the other.
    cost : int32 array [m]
        Distance that a column adds where two rows differ; small in sum.
    weight, left : int64 arrays [t]
        Rows of each row type, and those of them that are in no class yet.
    center : int64 array [c]
        Row types with rows in no class.
    k : int
        Least rows of a class; at most the rows of the table.

    Notes
    -----
    O(m t) a center; memory O(t + sum of the costs).
    """
    distance, rows = np.empty(by_column.shape[1], np.int32), np.empty((int(cost.sum()) + 1, 2), np.int64)
    best = np.zeros((len(center), 2), np.int64)
    _measure_all(by_column, cost, weight, left, center, k, distance, rows, best)
    return best


def _measure_all(
    by_column: cython.int[:, ::1],
    cost: cython.int[::1],
    weight: cython.longlong[::1],
    left: cython.longlong[::1],
    center: cython.longlong[::1],
    k: cython.longlong,
    distance: cython.int[::1],
    rows: cython.longlong[:, ::1],
    best: cython.longlong[:, ::1],
) -> None:
    """Fill ``best``; ``distance`` [t] and ``rows`` [sum of the costs + 1, 2] are scratch."""
    with cython.nogil:
        for b in range(center.shape[0]):
            _measure(by_column, cost, center[b], distance)
            _best_ball(distance, weight, left, k, rows, best[b])


def _best_ball(distance, weight, left, k, rows, best):
    """Find the best radius; ``rows`` counts all rows and those in no class by their distance."""
    inside = 0
    new = 0
    for radius in range(rows.shape[0]):
        rows[radius, 0] = 0
        rows[radius, 1] = 0
    for i in range(distance.shape[0]):
        rows[distance[i], 0] += weight[i]
        rows[distance[i], 1] += left[i]
    for radius in range(rows.shape[0]):
        inside += rows[radius, 0]
        new = min(new + rows[radius, 1], 2 * k - 1)
        if inside >= k and (best[1] == 0 or radius * best[1] < best[0] * new):
            best[0] = radius
            best[1] = new
        if new == 2 * k - 1:
            break


def alike_first(
    codes: NDArray[np.int32], cost: NDArray[np.int32], rows: NDArray[np.int64], most: int, near: NDArray[np.int64]
) -> None:
    """Bring the row types to the front of ``near`` [n] that hide the least together with its first one.

    One after the other the row type that hides least in addition to those before it, the first of equally good ones, until
    there are ``most`` of the ``rows`` [n]; then the others by what each would hide, otherwise in the order they had.

    Notes
    -----
    O(a n m + n log n) for a row types brought to the front; memory O(n).
    """
    n, m = len(near), codes.shape[1]
    rank, extra = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    _rank(codes, cost, rows, most, near, np.arange(m), extra, rank)
    near[:] = near[np.argsort(rank, kind="stable")]


def _rank(
    codes: cython.int[:, ::1],
    cost: cython.int[::1],
    rows: cython.longlong[::1],
    most: cython.longlong,
    near: cython.longlong[::1],
    common: cython.longlong[::1],
    extra: cython.longlong[::1],
    rank: cython.longlong[::1],
) -> None:
    """Fill ``rank`` [n], -1 before: the first ones by their turn, the others behind by what they would hide.

    ``common`` [m] are the columns in which the first ones agree, all to begin with; ``extra`` [n] is scratch.
    """
    reached = 0
    front = 0
    columns = common.shape[0]
    with cython.nogil:
        while True:
            best = _least_hiding(codes, cost, rows, near, common, columns, extra, rank)
            if best < 0 or reached >= most:
                break
            rank[best] = front
            front += 1
            reached += rows[best]
            columns = _still_common(codes, near[0], near[best], common, columns)
        for r in range(near.shape[0]):
            if rank[r] < 0:
                rank[r] = front + extra[r]


def _least_hiding(codes, cost, rows, near, common, columns, extra, rank):
    """Fill in what each row type without a rank would hide ``extra``; return the best one with rows, -1 if there is none."""
    own = near[0]
    best = -1
    for r in range(near.shape[0]):
        if rank[r] >= 0:
            continue
        i = near[r]
        total = 0
        for a in range(columns):
            c = common[a]
            if codes[i, c] != codes[own, c]:
                total += cost[c]
        extra[r] = total
        if rows[r] > 0 and (best < 0 or total < extra[best]):
            best = r
    return best


def _still_common(codes, own, i, common, columns):
    """Keep the common columns in which two row types agree; return how many there are."""
    kept = 0
    for a in range(columns):
        c = common[a]
        if codes[i, c] == codes[own, c]:
            common[kept] = c
            kept += 1
    return kept
