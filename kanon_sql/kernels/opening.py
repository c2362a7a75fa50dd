"""The dual-guided greedy: of all instances the one that gains most from the prices of the rows still loose opens next."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.plans import Plan, Pool, put

_FAR = np.int64(1) << 60


@njit(cache=True, nogil=True)
def _gain(pool: Pool, j: int, k: int, paid: NDArray[np.int64], loose: NDArray[np.int64], filler: NDArray[np.int64]) -> np.int64:
    """Return what instance j gains from its loose rows, filled up to k with those that pay less; nearly -inf if it cannot."""
    w = pool.cost[j]
    gain, rows, kept = np.int64(0), 0, 0
    for a in range(pool.start[j], pool.start[j + 1]):
        i = pool.member[a]
        if loose[i] and paid[i] > w:
            gain += loose[i] * (paid[i] - w)
            rows += loose[i]
    need = k - rows
    if need <= 0:
        return gain
    for a in range(pool.start[j], pool.start[j + 1]):
        i = pool.member[a]
        if loose[i] == 0 or paid[i] > w or (kept == need and paid[i] <= paid[filler[kept - 1]]):
            continue
        place = kept if kept < need else need - 1
        kept = min(kept + 1, need)
        while place > 0 and paid[filler[place - 1]] < paid[i]:
            filler[place] = filler[place - 1]
            place -= 1
        filler[place] = i
    for place in range(kept):
        copies = min(need, loose[filler[place]])
        gain += copies * (paid[filler[place]] - w)
        need -= copies
    return gain if need == 0 else -_FAR


@njit(cache=True, nogil=True)
def open_by_price(pool: Pool, plan: Plan, k: int, factor: float, floor: int) -> NDArray[np.int64]:
    """Open instances that gain more than ``floor`` from ``factor`` times the prices; return the rows left over, int64 [t].

    A row pays at most what the cheapest open instance it fits would cost it; a row that is left joins that instance.

    Notes
    -----
    A lazy heap: an instance is counted again only when it comes to the top. O(members log j) in practice; memory O(t + j).
    """
    t = len(pool.weight)
    loose = pool.weight.copy()
    paid = np.empty(t, np.int64)
    for i in range(t):
        paid[i] = np.int64(pool.price[i] * factor)
    home = np.full(t, -1, np.int32)
    filler = np.empty(k, np.int64)
    heap = [(np.int64(0), np.int64(0))]
    heap.pop()
    for number in range(len(pool.cost)):
        gain = _gain(pool, number, k, paid, loose, filler)
        if gain > floor:
            heap.append((-gain, np.int64(number)))
    heapq.heapify(heap)
    while len(heap):
        top = heapq.heappop(heap)[1]
        j = int(top)
        gain = _gain(pool, j, k, paid, loose, filler)
        if gain <= floor:
            continue
        if len(heap) and -gain > heap[0][0]:
            heapq.heappush(heap, (-gain, top))
            continue
        w = pool.cost[j]
        rows = 0
        for a in range(pool.start[j], pool.start[j + 1]):
            i = pool.member[a]
            if loose[i] and paid[i] > w and put(plan, i, j, loose[i]):
                rows += loose[i]
                loose[i] = 0
        while rows < k:
            best = -1
            for a in range(pool.start[j], pool.start[j + 1]):
                i = pool.member[a]
                if loose[i] and (best < 0 or paid[i] > paid[best]):
                    best = i
            copies = min(k - rows, loose[best])
            if not put(plan, best, j, copies):
                break
            rows += copies
            loose[best] -= copies
        for a in range(pool.start[j], pool.start[j + 1]):
            i = pool.member[a]
            if loose[i] and (home[i] < 0 or w < pool.cost[home[i]]):
                home[i] = j
                paid[i] = min(paid[i], w)
    for i in range(t):
        if loose[i] and home[i] >= 0 and put(plan, i, home[i], loose[i]):
            loose[i] = 0
    return loose
