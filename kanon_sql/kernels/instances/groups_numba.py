"""What the passes over coded rows share: sets of frequent values, the sieve, and exact groups.

A row type is *eligible* for a pattern only if its values in every pair (or triple) of shown columns are shared by at least
k rows of the whole table; bit sets of those sift out nearly all row types before anything is counted.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_HASH = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def trailing_zeros(word: np.uint64) -> int:
    """Return the place of the lowest bit that is set."""
    place = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word & ((_ONE << np.uint64(step)) - _ONE) == 0:
            place += step
            word >>= np.uint64(step)
    return place


@njit(cache=True, nogil=True)
def columns_of(shown: np.uint64, column: NDArray[np.int64]) -> int:
    """List the shown columns in ``column`` and return how many there are."""
    s = 0
    for c in range(len(column)):
        if (shown >> np.uint64(c)) & _ONE:
            column[s] = c
            s += 1
    return s


@njit(cache=True, nogil=True)
def frequent_sets(
    codes: NDArray[np.int32], cardinality: NDArray[np.int64], weight: NDArray[np.int64], k: int, sets: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return bit sets [j, ceil(t / 64)]: row types whose values in the columns ``sets[j]`` are shared by k rows.

    A set of columns with more possible values than 32 t is not counted and stays full: sifting less is safe. O(j s t).
    """
    t, m = codes.shape
    bits = np.zeros((len(sets), (t + 63) >> 6), np.uint64)
    key = np.empty(t, np.int64)
    column = np.empty(m, np.int64)
    for j in range(len(sets)):
        key[:] = 0
        size = 1
        for c in column[: columns_of(sets[j], column)]:
            size *= cardinality[c]
            if size > 32 * t + 1024:
                break
            for i in range(t):
                key[i] = key[i] * cardinality[c] + codes[i, c]
        if size > 32 * t + 1024:
            bits[j] = ~np.uint64(0)
            continue
        count = np.zeros(size, np.int64)
        for i in range(t):
            count[key[i]] += weight[i]
        for i in range(t):
            if count[key[i]] >= k:
                bits[j, i >> 6] |= _ONE << np.uint64(i & 63)
    return bits


@njit(cache=True, nogil=True)
def sift(
    alive: NDArray[np.uint64],
    sets: NDArray[np.uint64],
    frequent: NDArray[np.uint64],
    shown: np.uint64,
    row: NDArray[np.int32],
) -> int:
    """List in ``row`` the live rows whose values are frequent in every set of shown columns; return how many."""
    eligible = alive.copy()
    for j in range(len(sets)):
        if sets[j] & ~shown == 0:
            for w in range(len(eligible)):
                eligible[w] &= frequent[j, w]
    n = 0
    for w in range(len(eligible)):
        rest = eligible[w]
        while rest:
            row[n] = w * 64 + trailing_zeros(rest)
            n += 1
            rest &= rest - _ONE
    return n


@njit(cache=True, nogil=True)
def group(
    codes: NDArray[np.int32],
    place: NDArray[np.int64],
    column: NDArray[np.int64],
    row: NDArray[np.int32],
    slot_key: NDArray[np.int64],
    slot_used: NDArray[np.bool_],
    slot: NDArray[np.int32],
) -> int:
    """Give the rows that agree on the shown columns one slot; return the number of slots in use from 0.

    A group is one exact key of as many words as ``slot_key`` has; the hash only finds its slot.
    """
    words = slot_key.shape[1]
    key = np.empty(words, np.int64)
    word, stride = place[0][column], place[1][column]
    size, shift = 64, 58
    while size < 2 * len(row):
        size *= 2
        shift -= 1
    slot_used[:size] = False
    for r in range(len(row)):
        for w in range(words):
            key[w] = 0
        for a in range(len(column)):
            key[word[a]] += codes[row[r], column[a]] * stride[a]
        mixed = np.uint64(0)
        for w in range(words):
            mixed = (mixed ^ np.uint64(key[w])) * _HASH
        h = np.int64(mixed >> np.uint64(shift))
        while slot_used[h]:
            same = True
            for w in range(words):
                same = same and slot_key[h, w] == key[w]
            if same:
                break
            h = (h + 1) & (size - 1)
        slot_used[h] = True
        for w in range(words):
            slot_key[h, w] = key[w]
        slot[r] = h
    return size


@njit(cache=True, nogil=True)
def capacity_for(rows: int) -> int:
    """Return the slots, a power of two, that groups of so many rows need at most."""
    capacity = 64
    while capacity < 2 * rows:
        capacity *= 2
    return capacity
