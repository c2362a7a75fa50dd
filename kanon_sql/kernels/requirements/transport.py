"""The cheapest transport between two distributions on a metric space: the earth mover's distance of any metric."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_FAR = np.int64(1) << 62


@njit(cache=True, nogil=True)
def transport(cost: NDArray[np.int64], excess: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cheapest flow int64 [v, v] from values with too much to values with too little, and a dual, int64 [v].

    Parameters
    ----------
    cost : int64 array [v * v]
        A metric, row by row: what is not too much may stay where it is.
    excess : int64 array [v]
        What each value has too much, below 0 too little; the sum is 0.

    Returns
    -------
    flow, potential
        The dual changes between two values by no more than their distance, and ``potential @ excess`` is the cost.

    Notes
    -----
    Successive shortest paths, with Dijkstra's algorithm on all pairs: O(v^3) in practice.
    """
    v = len(excess)
    flow = np.zeros((v, v), np.int64)
    left = excess.copy()
    price = np.zeros(v, np.int64)
    distance = np.empty(v, np.int64)
    before = np.empty(v, np.int64)
    done = np.empty(v, np.bool_)
    while True:
        open_ends = False
        for u in range(v):
            distance[u] = 0 if left[u] > 0 else _FAR
            before[u] = -1
            done[u] = False
            open_ends |= left[u] > 0
        if not open_ends:
            break
        target = -1
        while target < 0:
            u = -1
            for other in range(v):
                if not done[other] and distance[other] < _FAR and (u < 0 or distance[other] < distance[u]):
                    u = other
            done[u] = True
            if left[u] < 0:
                target = u
            elif excess[u] > 0:
                for other in range(v):
                    if excess[other] < 0 and not done[other]:
                        length = distance[u] + cost[u * v + other] + price[u] - price[other]
                        if length < distance[other]:
                            distance[other], before[other] = length, u
            else:
                for other in range(v):
                    if flow[other, u] > 0 and not done[other]:
                        length = distance[u] - cost[other * v + u] + price[u] - price[other]
                        if length < distance[other]:
                            distance[other], before[other] = length, u
        for u in range(v):
            price[u] += min(distance[u], distance[target])
        amount, u = -left[target], target
        while before[u] >= 0:
            if excess[u] > 0:
                amount = min(amount, flow[u, before[u]])
            u = before[u]
        amount = min(amount, left[u])
        left[u] -= amount
        left[target] += amount
        u = target
        while before[u] >= 0:
            if excess[u] < 0:
                flow[before[u], u] += amount
            else:
                flow[u, before[u]] -= amount
            u = before[u]
    potential = np.zeros(v, np.int64)
    for u in range(v):
        least = _FAR
        for other in range(v):
            if excess[other] < 0:
                least = min(least, cost[u * v + other] - price[other])
        potential[u] = least if least < _FAR else 0
    return flow, potential
