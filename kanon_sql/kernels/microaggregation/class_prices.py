"""Classes of k rows whose prices exceed their loss, by branch and bound from each row.

The gain of a class is k times its prices, less the square distances of all its pairs: positive where they violate the dual
program. Some row has the largest share of it. So from each row the search looks only for classes where this may be that row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64
from kanon_sql.kernels.merge_sort import sort_by_key


@cython.final
@cython.cclass
class _ClassGainSearch:
    """Search for the class of most gain: at each depth the rows that can join, and what they add to the gain and its bound."""

    def __init__(self, distance: NDArray[np.int64], price: NDArray[np.int64], k: int, most: int) -> None:
        rows = len(price)
        self.distance, self.price, self.k, self.most = distance, price, k, most
        self.item, self.key, self.gain = (np.empty((k, rows), np.int64) for _ in range(3))
        self.other, self.chosen, self.found = empty_int64(rows), empty_int64(k), empty_int64(k)
        self.best = self.steps = 0


def priced_above_loss(
    distance: NDArray[np.int64], price: NDArray[np.int64], root: NDArray[np.int64], k: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return the largest gain of a class around each root, the rows of that class, and the steps taken.

    Parameters
    ----------
    distance : int64 array [n, n]
        Square distances, symmetric, 0 on the diagonal; 8 k^3 times the greatest one, or price, fits in 64 bits.
    price : int64 array [n]
        Price of each row, in the unit of the distances.
    root : int64 array [r]
        The rows to start from.
    k : int
        Rows of a class, from 2 to n.
    most : int
        Steps of the search, each of which adds a row.

    Returns
    -------
    gain : int64 array [r]
        0 where no class of the root gains; each class that gains does so from one of its rows, by at most this. -1 where
        the steps were over.
    member : int32 array [r, k]
        The class, of a root without one -1.
    steps : int
        The steps taken.

    Notes
    -----
    O(n) for each root, and O(n log n) for a step at worst. Prices exceed the loss of a class only where its rows are near.
    """
    search = _ClassGainSearch(distance, price, k, most)
    gain, member = np.zeros(len(root), np.int64), np.full((len(root), k), -1, np.int32)
    gains: cython.longlong[::1] = gain
    members: cython.int[:, ::1] = member
    roots: cython.longlong[::1] = np.ascontiguousarray(root, np.int64)
    with cython.nogil:
        for r in range(roots.shape[0]):
            gains[r] = _around(search, roots[r])
            if gains[r] > 0:
                for a in range(search.k):
                    members[r, a] = search.found[a]
    return gain, member, search.steps


def _around(s, i):
    """Return the largest gain of a class around a row, 0 where none gains, -1 where the steps are over."""
    s.best = 0
    k = s.k
    own = 2 * (k - 1) * k * s.price[i]
    nearest = 0
    for j in range(s.price.shape[0]):
        if j == i:
            continue
        s.gain[1, j] = k * s.price[j] - s.distance[i, j]
        share = k * (s.price[i] + s.price[j]) - (k - 1) * s.distance[i, j]
        s.key[1, j] = -2 * (k - 1) * s.gain[1, j] - k * share
        nearest = min(nearest, s.key[1, j])
    count = 0
    for j in range(s.price.shape[0]):
        if j != i and own - s.key[1, j] - (k - 2) * nearest > 0:
            s.item[1, count] = j
            count += 1
    if count < k - 1:
        return 0
    sort_by_key(s.item[1], count, s.key[1], s.other)
    s.chosen[0] = i
    _grow(s, 1, count, k * s.price[i], own)
    return -1 if s.steps >= s.most else s.best


def _grow(s, depth, count, total, bound):
    """Add each row that can join, those first that may gain most, and keep the class that gains most."""
    k = s.k
    need = k - depth
    for a in range(count - need + 1):
        if s.steps >= s.most:
            return
        s.steps += 1
        upper = bound
        for b in range(need):
            upper -= s.key[depth, s.item[depth, a + b]]
        if upper <= 4 * (k - 1) * s.best:
            return
        j = s.item[depth, a]
        s.chosen[depth] = j
        if need == 1:
            if total + s.gain[depth, j] > s.best:
                s.best = total + s.gain[depth, j]
                for b in range(k):
                    s.found[b] = s.chosen[b]
            continue
        rest = bound - s.key[depth, j]
        for b in range(need - 2):
            rest -= s.key[depth, s.item[depth, a + 1 + b]]
        kept = 0
        for b in range(a + 1, count):
            other = s.item[depth, b]
            if rest - s.key[depth, other] <= 4 * (k - 1) * s.best:
                break
            key = s.key[depth, other] + 2 * (k - 1) * s.distance[j, other]
            if rest - key > 4 * (k - 1) * s.best:
                s.item[depth + 1, kept] = other
                s.key[depth + 1, other] = key
                s.gain[depth + 1, other] = s.gain[depth, other] - s.distance[j, other]
                kept += 1
        if kept >= need - 1:
            sort_by_key(s.item[depth + 1], kept, s.key[depth + 1], s.other)
            _grow(s, depth + 1, kept, total + s.gain[depth, j], bound - s.key[depth, j])
