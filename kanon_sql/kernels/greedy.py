"""Pattern-guided greedy on codes: cheapest pattern first, every instance with enough rows takes all of them.

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
    """Run the patterns ``shown`` [p] in order; return the number of rows taken.

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
    O(p m^2 t / 64) for the sifting plus O(m) per eligible row type; memory O(t). A group is one exact key of
    ``max(place[0]) + 1`` words; the hash only finds its slot.
    """
    t, m = codes.shape
    words = place[0].max() + 1
    capacity = 64
    while capacity < 2 * t:
        capacity *= 2
    slot_pattern = np.full(capacity, -1, np.int32)
    slot_key = np.empty((capacity, words), np.int64)
    slot_rows = np.empty(capacity, np.int64)
    eligible = np.empty(len(alive), np.uint64)
    row = np.empty(t, np.int32)
    slot = np.empty(t, np.int32)
    column = np.empty(m, np.int64)
    key = np.empty(words, np.int64)
    total = 0
    for p in range(len(shown)):
        s = 0
        for c in range(m):
            if (shown[p] >> np.uint64(c)) & _ONE:
                column[s] = c
                s += 1
        eligible[:] = alive
        for a in range(s):
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
        size, shift = 64, 58
        while size < 2 * n:
            size *= 2
            shift -= 1
        found = False
        for r in range(n):
            i = row[r]
            key[:] = 0
            for a in range(s):
                c = column[a]
                key[place[0, c]] += codes[i, c] * place[1, c]
            mixed = np.uint64(0)
            for w in range(words):
                mixed = (mixed ^ np.uint64(key[w])) * _HASH
            h = np.int64(mixed >> np.uint64(shift))
            while True:
                if slot_pattern[h] != p:
                    slot_pattern[h] = p
                    slot_key[h] = key
                    slot_rows[h] = 0
                    break
                same = True
                for w in range(words):
                    same = same and slot_key[h, w] == key[w]
                if same:
                    break
                h = (h + 1) & (size - 1)
            slot_rows[h] += weight[i]
            found = found or slot_rows[h] >= k
            slot[r] = h
        if not found:
            continue
        for r in range(n):
            if slot_rows[slot[r]] >= k:
                i = row[r]
                taken[i] = p
                total += weight[i]
                alive[i >> 6] &= ~(_ONE << np.uint64(i & 63))
    return total
