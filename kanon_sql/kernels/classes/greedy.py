"""The greedy pass: patterns in order, each instance with enough rows takes all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.groups import GroupingWorkspace, group, sift


def take_frequent(
    codes: NDArray[np.int32],
    weight: cython.longlong[::1],
    place: NDArray[np.int64],
    shown: cython.ulonglong[::1],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    alive: cython.ulonglong[::1],
    k: cython.longlong,
    taken: cython.int[::1],
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
    groups = GroupingWorkspace(codes=codes, place=place, sets=sieve[0], frequent=sieve[1])
    slot_rows: cython.longlong[::1] = np.empty(groups.capacity, np.int64)
    total = 0
    with cython.nogil:
        for p in range(shown.shape[0]):
            total += _take(groups, weight, shown[p], p, alive, k, slot_rows, taken)
    return total


def _take(groups, weight, shown, p, alive, k, slot_rows, taken):
    """Let the instances of one pattern take their rows; return how many."""
    total = 0
    found: cython.bint = False
    n = sift(groups, alive, shown)
    size = group(groups, shown, n)
    for h in range(size):
        slot_rows[h] = 0
    for r in range(n):
        h = groups.slot[r]
        slot_rows[h] += weight[groups.row[r]]
        found = found or slot_rows[h] >= k
    if not found:
        return 0
    for r in range(n):
        if slot_rows[groups.slot[r]] >= k:
            i = cython.cast(cython.longlong, groups.row[r])
            taken[i] = p
            total += weight[i]
            alive[i >> 6] ^= cython.cast(cython.ulonglong, 1) << (i & 63)
    return total
