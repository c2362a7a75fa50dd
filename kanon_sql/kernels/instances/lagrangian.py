"""The Lagrangian relaxation: each row has a price, and instances open where the prices of k rows cover their cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.gains import NEVER, gain


def relaxed(
    start: cython.longlong[::1],
    member: cython.int[::1],
    cost: cython.longlong[::1],
    weight: cython.longlong[::1],
    price: cython.longlong[::1],
    k: cython.longlong,
    chunk: tuple[int, int],
    covered: cython.longlong[::1],
) -> int:
    """Return what the instances of a ``chunk`` gain from the prices, and add the copies they cover to ``covered`` [t].

    An instance of ``cost`` w covers every row whose price is above w, and the most expensive others up to k rows; it opens if
    that gains. So ``price @ weight`` minus the gains of all instances bounds the cost of every release from below.

    Notes
    -----
    O(members), and k more for an instance that has to be filled up.
    """
    first: cython.longlong
    last: cython.longlong
    first, last = chunk
    gains = 0
    top_up: cython.longlong[::1] = np.empty(k, np.int64)
    with cython.nogil:
        for j in range(first, last):
            gains += _cover(start, member, cost[j], weight, price, k, j, top_up, covered)
    return gains


def _cover(start, member, w, weight, price, k, j, top_up, covered):
    """Return what an instance of cost ``w`` gains, 0 if it does not open, and add what it covers."""
    rows = 0
    value, topped_up = gain(member, start[j], start[j + 1], weight, price, w, k, 0, top_up)
    if value <= 0:
        return 0
    for a in range(start[j], start[j + 1]):
        i = member[a]
        if price[i] > w:
            covered[i] += weight[i]
            rows += weight[i]
    for a in range(topped_up):
        i = top_up[a]
        copies = min(k - rows, weight[i])
        covered[i] += copies
        rows += copies
    return value


def instance_gains(
    start: cython.longlong[::1],
    member: cython.int[::1],
    cost: cython.longlong[::1],
    weight: cython.longlong[::1],
    price: cython.longlong[::1],
    k: cython.longlong,
    chunk: tuple[int, int],
) -> NDArray[np.int64]:
    """Return what each instance of a ``chunk`` gains from the prices, below 0 where opening would lose; O(members)."""
    first: cython.longlong
    last: cython.longlong
    first, last = chunk
    found = np.empty(last - first, np.int64)
    gains: cython.longlong[::1] = found
    top_up: cython.longlong[::1] = np.empty(k, np.int64)
    with cython.nogil:
        for j in range(first, last):
            gains[j - first] = gain(member, start[j], start[j + 1], weight, price, cost[j], k, NEVER, top_up)[0]
    return found
