"""The Lagrangian relaxation: each row pays a price, and instances open where the prices of k rows cover their cost."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.instances.gains_numba import NEVER, gain


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
) -> np.int64:
    """Return what the instances of a ``chunk`` gain from the prices, and add the copies they serve to ``served`` [t].

    An instance of ``cost`` w serves every row whose price is above w, and the dearest others up to k rows; it opens if that
    gains. So ``price @ weight`` minus the gains of all instances bounds the cost of every release from below.

    Notes
    -----
    O(members), and k more for an instance that has to be filled up.
    """
    gains = np.int64(0)
    filler = np.empty(k, np.int64)
    for j in range(chunk[0], chunk[1]):
        w = cost[j]
        value, fillers = gain(member, start[j], start[j + 1], weight, price, w, k, 0, filler)
        if value <= 0:
            continue
        gains += value
        rows = 0
        for a in range(start[j], start[j + 1]):
            i = member[a]
            if price[i] > w:
                served[i] += weight[i]
                rows += weight[i]
        for i in filler[:fillers]:
            copies = min(k - rows, weight[i])
            served[i] += copies
            rows += copies
    return gains


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
    for j in range(chunk[0], chunk[1]):
        value, _ = gain(member, start[j], start[j + 1], weight, price, cost[j], k, NEVER, filler)
        worth[j - chunk[0]] = value
    return worth
