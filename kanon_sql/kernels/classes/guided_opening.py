"""The dual-guided greedy: of all instances the one that gains most from the prices of the rows still loose opens next."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans import Plan, Pool, put
from kanon_sql.kernels.instances.gains import gain


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
    for j in range(len(pool.cost)):
        value, _ = gain(pool.member, pool.start[j], pool.start[j + 1], loose, paid, pool.cost[j], k, floor, filler)
        if value > floor:
            heap.append((-value, np.int64(j)))
    heapq.heapify(heap)
    while len(heap):
        top = heapq.heappop(heap)[1]
        j = int(top)
        w = pool.cost[j]
        value, fillers = gain(pool.member, pool.start[j], pool.start[j + 1], loose, paid, w, k, floor, filler)
        if value <= floor:
            continue
        if len(heap) and -value > heap[0][0]:
            heapq.heappush(heap, (-value, top))
            continue
        rows = 0
        for a in range(pool.start[j], pool.start[j + 1]):
            i = pool.member[a]
            if loose[i] and paid[i] > w and put(plan, i, j, loose[i]):
                rows += loose[i]
                loose[i] = 0
        for i in filler[:fillers]:
            copies = min(k - rows, loose[i])
            if copies > 0 and put(plan, i, j, copies):
                rows += copies
                loose[i] -= copies
        for a in range(pool.start[j], pool.start[j + 1]):
            i = pool.member[a]
            if loose[i] and (home[i] < 0 or w < pool.cost[home[i]]):
                home[i] = j
                paid[i] = min(paid[i], w)
    for i in range(t):
        if loose[i] and home[i] >= 0 and put(plan, i, home[i], loose[i]):
            loose[i] = 0
    return loose
