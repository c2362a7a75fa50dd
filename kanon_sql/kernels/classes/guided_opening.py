"""The greedy guided by dual prices: the instance that gains most from the prices of the unassigned rows opens next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.classes.plans import Plan, Pool, put
    from cython.cimports.kanon_sql.kernels.heap import pop, push
    from cython.cimports.kanon_sql.kernels.instances.gains import gain
else:
    from kanon_sql.kernels.classes.plans import Plan, Pool, put
    from kanon_sql.kernels.heap import pop, push
    from kanon_sql.kernels.instances.gains import gain


def open_by_price(pool: Pool, plan: Plan, k: int, factor: float, floor: int) -> NDArray[np.int64]:
    """Open instances that gain more than ``floor`` from ``factor`` times the prices; return the rows left over, int64 [t].

    A row pays at most the cost of the cheapest open instance that it fits; a row that is left over joins that instance.

    Notes
    -----
    A lazy heap: an instance is evaluated again only when it comes to the top. O(members log j) in practice; memory O(t + j).
    """
    j = len(pool.cost)
    unassigned = np.array(pool.weight)
    paid = (np.asarray(pool.price) * factor).astype(np.int64)
    fallback = np.full(len(unassigned), -1, np.int32)
    heap, key = np.empty(j, np.int64), np.empty(j, np.int64)
    _open(pool, plan, k, floor, unassigned, paid, fallback, np.empty(k, np.int64), heap, key)
    return unassigned


def _open(
    pool: Pool,
    plan: Plan,
    k: cython.longlong,
    floor: cython.longlong,
    unassigned: cython.longlong[::1],
    paid: cython.longlong[::1],
    fallback: cython.int[::1],
    filler: cython.longlong[::1],
    heap: cython.longlong[::1],
    key: cython.longlong[::1],
) -> None:
    """Open instances; ``unassigned`` keeps the rows left over."""
    with cython.nogil:
        _open_all(pool, plan, k, floor, unassigned, paid, fallback, filler, heap, key)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open_all(
    pool: Pool,
    plan: Plan,
    k: cython.longlong,
    floor: cython.longlong,
    unassigned: cython.longlong[::1],
    paid: cython.longlong[::1],
    fallback: cython.int[::1],
    filler: cython.longlong[::1],
    heap: cython.longlong[::1],
    key: cython.longlong[::1],
) -> cython.void:
    a: cython.longlong
    i: cython.longlong
    j: cython.longlong
    w: cython.longlong
    value: cython.longlong
    fillers: cython.longlong
    size: cython.longlong = 0
    for j in range(pool.cost.shape[0]):
        value = gain(pool.member, pool.start[j], pool.start[j + 1], unassigned, paid, pool.cost[j], k, floor, filler)[0]
        if value > floor:
            size = push(heap, key, size, j, -value)
    while size:
        j = heap[0]
        size = pop(heap, key, size)
        w = pool.cost[j]
        value, fillers = gain(pool.member, pool.start[j], pool.start[j + 1], unassigned, paid, w, k, floor, filler)
        if value <= floor:
            continue
        if size and -value > key[heap[0]]:
            size = push(heap, key, size, j, -value)
            continue
        _join(pool, plan, k, j, unassigned, paid, filler, fillers)
        for a in range(pool.start[j], pool.start[j + 1]):
            i = pool.member[a]
            if unassigned[i] and (fallback[i] < 0 or w < pool.cost[fallback[i]]):
                fallback[i] = j
                paid[i] = min(paid[i], w)
    for i in range(unassigned.shape[0]):
        if unassigned[i] and fallback[i] >= 0 and put(plan, i, fallback[i], unassigned[i]):
            unassigned[i] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join(
    pool: Pool,
    plan: Plan,
    k: cython.longlong,
    j: cython.longlong,
    unassigned: cython.longlong[::1],
    paid: cython.longlong[::1],
    filler: cython.longlong[::1],
    fillers: cython.longlong,
) -> cython.void:
    """Let the rows that pay for an instance join it, then the dearest others up to k."""
    a: cython.longlong
    i: cython.longlong
    copies: cython.longlong
    rows: cython.longlong = 0
    for a in range(pool.start[j], pool.start[j + 1]):
        i = pool.member[a]
        if unassigned[i] and paid[i] > pool.cost[j] and put(plan, i, j, unassigned[i]):
            rows += unassigned[i]
            unassigned[i] = 0
    for a in range(fillers):
        i = filler[a]
        copies = min(k - rows, unassigned[i])
        if copies > 0 and put(plan, i, j, copies):
            rows += copies
            unassigned[i] -= copies
