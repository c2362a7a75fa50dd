"""Balls: the rows around a row, by the distance at which they are reached."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def distances(by_column: NDArray[np.int32], cost: NDArray[np.int32], center: int, distance: NDArray[np.int32]) -> None:
    """Fill ``distance`` [t]: the cost of the columns in which a row type differs from the center. O(m t)."""
    distance[:] = 0
    for c in range(len(by_column)):
        column, own, step = by_column[c], by_column[c, center], cost[c]
        for i in range(len(column)):
            distance[i] += step if column[i] != own else np.int32(0)


@njit(cache=True, nogil=True)
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
    distance = np.empty(by_column.shape[1], np.int32)
    rows = np.zeros((cost.sum() + 1, 2), np.int64)
    best = np.zeros((len(center), 2), np.int64)
    for b in range(len(center)):
        distances(by_column, cost, center[b], distance)
        rows[:] = 0
        for i in range(len(distance)):
            rows[distance[i], 0] += weight[i]
            rows[distance[i], 1] += left[i]
        inside, new = 0, 0
        for radius in range(len(rows)):
            inside += rows[radius, 0]
            new = min(new + rows[radius, 1], 2 * k - 1)
            if inside >= k and (best[b, 1] == 0 or radius * best[b, 1] < best[b, 0] * new):
                best[b, 0], best[b, 1] = radius, new
            if new == 2 * k - 1:
                break
    return best


@njit(cache=True, nogil=True)
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
    common = np.ones(m, np.bool_)
    own = codes[near[0]]
    rank = np.full(n, -1, np.int64)
    extra = np.zeros(n, np.int64)
    reached, front = 0, 0
    while True:
        best = -1
        for r in range(n):
            if rank[r] >= 0:
                continue
            extra[r] = 0
            for c in range(m):
                if common[c] and codes[near[r], c] != own[c]:
                    extra[r] += cost[c]
            if rows[r] > 0 and (best < 0 or extra[r] < extra[best]):
                best = r
        if best < 0 or reached >= most:
            break
        rank[best] = front
        front += 1
        reached += rows[best]
        for c in range(m):
            common[c] = common[c] and codes[near[best], c] == own[c]
    for r in range(n):
        if rank[r] < 0:
            rank[r] = front + extra[r]
    near[:] = near[np.argsort(rank, kind="mergesort")]
