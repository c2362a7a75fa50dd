"""The greedy pass: patterns in order, each instance with enough rows takes all of them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.instances.groups import capacity_for, columns_of, group, sift

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def take_frequent(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    place: NDArray[np.int64],
    shown: NDArray[np.uint64],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    alive: NDArray[np.uint64],
    k: int,
    taken: NDArray[np.int32],
) -> int:
    """Let each instance of the patterns ``shown`` [p] with k live rows take them all; return the rows taken.

    Parameters
    ----------
    place : int64 array [2, m]
        Key word and stride of each column (mixed radix).
    sieve : tuple of uint64 arrays [j], [j, ceil(t / 64)]
        Sets of columns, and the row types frequent in each (`frequent_sets`).
    alive : uint64 array [ceil(t / 64)]
        Row types not yet taken; cleared as they are.
    taken : int32 array [t]
        Set to the index of the pattern that took the row type.

    Notes
    -----
    O(p j t / 64) for the sifting with j sets plus O(m) per eligible row type; memory O(t).
    """
    t, m = codes.shape
    capacity = capacity_for(t)
    slot_key = np.empty((capacity, place[0].max() + 1), np.int64)
    slot_used = np.empty(capacity, np.bool_)
    slot_rows = np.empty(capacity, np.int64)
    row = np.empty(t, np.int32)
    slot = np.empty(t, np.int32)
    column = np.empty(m, np.int64)
    total = 0
    for p in range(len(shown)):
        s = columns_of(shown[p], column)
        n = sift(alive, sieve[0], sieve[1], shown[p], row)
        size = group(codes, place, column[:s], row[:n], slot_key, slot_used, slot)
        slot_rows[:size] = 0
        found = False
        for r in range(n):
            slot_rows[slot[r]] += weight[row[r]]
            found = found or slot_rows[slot[r]] >= k
        if not found:
            continue
        for r in range(n):
            if slot_rows[slot[r]] >= k:
                i = row[r]
                taken[i] = p
                total += weight[i]
                alive[i >> 6] &= ~(_ONE << np.uint64(i & 63))
    return total
