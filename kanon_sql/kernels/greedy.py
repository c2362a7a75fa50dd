"""Pattern-guided passes over coded rows: patterns in order, each instance with enough rows takes them.

A row type is *eligible* for a pattern only if every pair of shown values is shared by at least k rows of the whole
table; bit sets of those pairs sift out nearly all row types before anything is counted.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_HASH = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_SIX = np.uint64(6)


@njit(cache=True, nogil=True)
def _trailing_zeros(word: np.uint64) -> int:
    place = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word & ((_ONE << np.uint64(step)) - _ONE) == 0:
            place += step
            word >>= np.uint64(step)
    return place


@njit(cache=True, nogil=True)
def frequent_values(
    codes: NDArray[np.int32], weight: NDArray[np.int64], size: int, k: int
) -> NDArray[np.uint64]:
    """Return bit set [ceil(t / 64)]: row types whose code in ``codes`` [t] (below ``size``) is shared by k rows; O(t)."""
    count = np.zeros(size, np.int64)
    for i in range(len(codes)):
        count[codes[i]] += weight[i]
    bits = np.zeros((len(codes) + 63) >> 6, np.uint64)
    for i in range(len(codes)):
        if count[codes[i]] >= k:
            bits[i >> 6] |= _ONE << np.uint64(i & 63)
    return bits


@njit(cache=True, nogil=True)
def frequent_pairs(
    codes: NDArray[np.int32], cardinality: NDArray[np.int64], weight: NDArray[np.int64], k: int
) -> NDArray[np.uint64]:
    """Return bit sets [m, m, ceil(t / 64)]: row types whose pair of values in two columns is shared by k rows; O(m^2 t).

    Only ``[a, b]`` with ``b <= a`` is filled; ``[a, a]`` is the single column. A pair with more possible values than
    16 t is not counted and stays full: sifting less is safe.
    """
    t, m = codes.shape
    bits = np.zeros((m, m, (t + 63) >> 6), np.uint64)
    pair = np.empty(t, np.int32)
    for a in range(m):
        for b in range(a + 1):
            size = cardinality[a] if a == b else cardinality[a] * cardinality[b]
            if size > 16 * t + 1024:
                bits[a, b] = bits[a, a] & bits[b, b]
                continue
            for i in range(t):
                pair[i] = codes[i, a] if a == b else codes[i, a] * cardinality[b] + codes[i, b]
            bits[a, b] = frequent_values(pair, weight, size, k)
    return bits


@njit(cache=True, nogil=True)
def _columns_of(shown: np.uint64, column: NDArray[np.int64]) -> int:
    """List the shown columns in ``column`` and return how many there are."""
    s = 0
    for c in range(len(column)):
        if (shown >> np.uint64(c)) & _ONE:
            column[s] = c
            s += 1
    return s


@njit(cache=True, nogil=True)
def _sift(
    alive: NDArray[np.uint64], pairs: NDArray[np.uint64], column: NDArray[np.int64], row: NDArray[np.int32]
) -> int:
    """List in ``row`` the live rows all of whose shown pairs are frequent; return how many; O(s^2 t / 64)."""
    eligible = alive.copy()
    for a in range(len(column)):
        for b in range(a + 1):
            both = pairs[column[a], column[b]]
            for w in range(len(eligible)):
                eligible[w] &= both[w]
    n = 0
    for w in range(len(eligible)):
        rest = eligible[w]
        while rest:
            row[n] = w * 64 + _trailing_zeros(rest)
            n += 1
            rest &= rest - _ONE
    return n


@njit(cache=True, nogil=True)
def _group(
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
    size, shift = 64, 58
    while size < 2 * len(row):
        size *= 2
        shift -= 1
    slot_used[:size] = False
    for r in range(len(row)):
        key[:] = 0
        for c in column:
            key[place[0, c]] += codes[row[r], c] * place[1, c]
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
        slot_key[h] = key
        slot[r] = h
    return size


@njit(cache=True, nogil=True)
def _capacity(rows: int) -> int:
    capacity = 64
    while capacity < 2 * rows:
        capacity *= 2
    return capacity


@njit(cache=True, nogil=True)
def take_frequent(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    place: NDArray[np.int64],
    shown: NDArray[np.uint64],
    pairs: NDArray[np.uint64],
    alive: NDArray[np.uint64],
    k: int,
    taken: NDArray[np.int32],
) -> int:
    """Let each instance of the patterns ``shown`` [p] with k live rows take them all; return the rows taken.

    Parameters
    ----------
    place : int64 array [2, m]
        Key word and stride of each column (mixed radix).
    alive : uint64 array [ceil(t / 64)]
        Row types not yet taken; cleared as they are.
    taken : int32 array [t]
        Set to the index of the pattern that took the row type.

    Notes
    -----
    O(p m^2 t / 64) for the sifting plus O(m) per eligible row type; memory O(t).
    """
    t, m = codes.shape
    capacity = _capacity(t)
    slot_key = np.empty((capacity, place[0].max() + 1), np.int64)
    slot_used = np.empty(capacity, np.bool_)
    slot_rows = np.empty(capacity, np.int64)
    row = np.empty(t, np.int32)
    slot = np.empty(t, np.int32)
    column = np.empty(m, np.int64)
    total = 0
    for p in range(len(shown)):
        s = _columns_of(shown[p], column)
        n = _sift(alive, pairs, column[:s], row)
        size = _group(codes, place, column[:s], row[:n], slot_key, slot_used, slot)
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
