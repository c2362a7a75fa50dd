"""The Lagrangian relaxation: each row pays a price, and instances open where the prices of k rows cover their cost."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def relaxed(
    start: NDArray[np.int64],
    member: NDArray[np.int32],
    cost: NDArray[np.int64],
    weight: NDArray[np.int64],
    price: NDArray[np.int64],
    k: int,
    chunk: tuple[int, int],
    served: NDArray[np.int64],
) -> int:
    """Return what the instances of a ``chunk`` gain from the prices, and add the copies they serve to ``served`` [t].

    An instance of ``cost`` w serves every row whose price is above w, and the dearest others up to k rows; it opens if that
    gains. So ``price @ weight`` minus the gains of all instances bounds the cost of every release from below.

    Notes
    -----
    O(members), and k more for an instance that has to be filled up.
    """
    gains = 0
    filler = np.empty(k, np.int64)
    for j in range(chunk[0], chunk[1]):
        w = cost[j]
        gain, rows, nearest = 0, 0, np.int64(-1) << 62
        for a in range(start[j], start[j + 1]):
            i = member[a]
            if price[i] > w:
                gain += weight[i] * (price[i] - w)
                rows += weight[i]
            elif price[i] > nearest:
                nearest = price[i]
        if gain + (k - rows if rows < k else 0) * (nearest - w) <= 0:
            continue
        if rows < k:
            gain = _filled(start[j], start[j + 1], member, weight, price, w, k - rows, gain, filler, served)
        if gain <= 0:
            continue
        gains += gain
        for a in range(start[j], start[j + 1]):
            i = member[a]
            if price[i] > w:
                served[i] += weight[i]
    return gains


@njit(cache=True, nogil=True)
def _filled(
    first: int,
    last: int,
    member: NDArray[np.int32],
    weight: NDArray[np.int64],
    price: NDArray[np.int64],
    w: int,
    need: int,
    gain: int,
    filler: NDArray[np.int64],
    served: NDArray[np.int64],
) -> int:
    """Fill an instance up with the ``need`` dearest rows that do not pay for it; return its gain, serve only if above 0."""
    kept = 0
    for a in range(first, last):
        i = member[a]
        if price[i] > w:
            continue
        if kept == need and price[i] <= price[filler[kept - 1]]:
            continue
        place = kept if kept < need else need - 1
        kept = min(kept + 1, need)
        while place > 0 and price[filler[place - 1]] < price[i]:
            filler[place] = filler[place - 1]
            place -= 1
        filler[place] = i
    rest = need
    for place in range(kept):
        copies = min(rest, weight[filler[place]])
        gain += copies * (price[filler[place]] - w)
        rest -= copies
        if rest == 0:
            break
    if gain > 0:
        rest = need
        for place in range(kept):
            copies = min(rest, weight[filler[place]])
            served[filler[place]] += copies
            rest -= copies
            if rest == 0:
                break
    return gain


@njit(cache=True, nogil=True)
def worths(
    start: NDArray[np.int64],
    member: NDArray[np.int32],
    cost: NDArray[np.int64],
    weight: NDArray[np.int64],
    price: NDArray[np.int64],
    k: int,
    chunk: tuple[int, int],
) -> NDArray[np.int64]:
    """Return what each instance of a ``chunk`` gains from the prices, below 0 where opening would lose; O(members)."""
    worth = np.empty(chunk[1] - chunk[0], np.int64)
    filler = np.empty(k, np.int64)
    ignored = np.zeros(len(weight), np.int64)
    for j in range(chunk[0], chunk[1]):
        gain, rows = 0, 0
        for a in range(start[j], start[j + 1]):
            i = member[a]
            if price[i] > cost[j]:
                gain += weight[i] * (price[i] - cost[j])
                rows += weight[i]
        if rows < k:
            gain = _filled(start[j], start[j + 1], member, weight, price, cost[j], k - rows, gain, filler, ignored)
        worth[j - chunk[0]] = gain
    return worth
