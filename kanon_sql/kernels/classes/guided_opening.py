"""The greedy guided by dual prices: the instance that gains most from the prices of the unassigned rows opens next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.partition import CandidateClasses, Partition, put
from kanon_sql.kernels.heap import pop, push
from kanon_sql.kernels.instances.gains import gain


def open_by_price(
    candidates: CandidateClasses, partition: Partition, k: cython.longlong, factor: float, floor: cython.longlong
) -> NDArray[np.int64]:
    """Open instances that gain more than ``floor`` from ``factor`` times the prices; return the rows left over, int64 [t].

    The price of a row is at most the cost of the cheapest open instance that it fits; a row that is left over joins that one.

    Notes
    -----
    A lazy heap: an instance is evaluated again only when it comes to the top. O(members log j) in practice; memory O(t + j).
    """
    left = np.array(candidates.weight)
    unassigned: cython.longlong[::1] = left
    price: cython.longlong[::1] = (np.asarray(candidates.price) * factor).astype(np.int64)
    fallback: cython.int[::1] = np.full(len(left), -1, np.int32)
    top_up: cython.longlong[::1] = np.empty(k, np.int64)
    heap: cython.longlong[::1] = np.empty(len(candidates.cost), np.int64)
    key: cython.longlong[::1] = np.empty(len(candidates.cost), np.int64)
    with cython.nogil:
        _open_all(candidates, partition, k, floor, unassigned, price, fallback, top_up, heap, key)
    return left


def _open_all(candidates, partition, k, floor, unassigned, price, fallback, top_up, heap, key):
    size = 0
    for j in range(candidates.cost.shape[0]):
        value = gain(
            candidates.member,
            candidates.start[j],
            candidates.start[j + 1],
            unassigned,
            price,
            candidates.cost[j],
            k,
            floor,
            top_up,
        )[0]
        if value > floor:
            size = push(heap, key, size, j, -value)
    while size:
        j = heap[0]
        size = pop(heap, key, size)
        w = candidates.cost[j]
        value, topped_up = gain(
            candidates.member, candidates.start[j], candidates.start[j + 1], unassigned, price, w, k, floor, top_up
        )
        if value <= floor:
            continue
        if size and -value > key[heap[0]]:
            size = push(heap, key, size, j, -value)
            continue
        _join(candidates, partition, k, j, unassigned, price, top_up, topped_up)
        for a in range(candidates.start[j], candidates.start[j + 1]):
            i = candidates.member[a]
            if unassigned[i] and (fallback[i] < 0 or w < candidates.cost[fallback[i]]):
                fallback[i] = j
                price[i] = min(price[i], w)
    for i in range(unassigned.shape[0]):
        if unassigned[i] and fallback[i] >= 0 and put(partition, i, fallback[i], unassigned[i]):
            unassigned[i] = 0


def _join(candidates, partition, k, j, unassigned, price, top_up, topped_up):
    """Let the rows of a price above the cost of an instance join it, then the most expensive others up to k."""
    rows = 0
    for a in range(candidates.start[j], candidates.start[j + 1]):
        i = candidates.member[a]
        if unassigned[i] and price[i] > candidates.cost[j] and put(partition, i, j, unassigned[i]):
            rows += unassigned[i]
            unassigned[i] = 0
    for a in range(topped_up):
        i = top_up[a]
        copies = min(k - rows, unassigned[i])
        if copies > 0 and put(partition, i, j, copies):
            rows += copies
            unassigned[i] -= copies
