"""Exact groups: the rows that agree on the shown columns of a pattern, and the sieve that saves counting most of them.

A row type is *eligible* for a pattern only if its values in every pair (or triple) of shown columns are shared by at least
k rows of the whole table; bit sets of those sift out nearly all row types before anything is counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64, empty_int64_2d

_HASH = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)
_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class GroupingWorkspace:
    """Scratch arrays of `sift` and `group` for one table, allocated once.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    place : int64 array [2, m]
        Key word and stride of each column (mixed radix).
    sets, frequent : uint64 arrays [j], [j, ceil(t / 64)]
        Sets of columns, and the row types frequent in each (`frequent_sets`).

    Attributes
    ----------
    row : int32 array [t]
        The row types that `sift` lists.
    slot : int32 array [t]
        The slot of each listed row type: those of one group share it.
    capacity : int
        Slots that the groups of all row types need at most, a power of two.
    first : int32 array [capacity]
        The place in ``row`` of the first row type of each slot, -1 where the slot is free.
    key : int64 array [t, words]
        The key of each listed row type.
    column, factor, last : int64 arrays [m], [m], [words]
        The shown columns, their strides, and the place after the last of them in each key word.
    chosen : int64 array [j]
        The sets within the shown columns.
    """

    def __init__(
        self,
        *,
        codes: NDArray[np.int32],
        place: NDArray[np.int64],
        sets: NDArray[np.uint64],
        frequent: NDArray[np.uint64],
    ) -> None:
        t, m = codes.shape
        words = int(place[0].max(initial=0)) + 1
        self.codes, self.sets, self.frequent = codes, sets, frequent
        self.word, self.stride = place[0].copy(), place[1].copy()
        self.row, self.slot = empty_int32(t), empty_int32(t)
        self.capacity = 64
        while self.capacity < 2 * t:
            self.capacity *= 2
        self.first, self.key = empty_int32(self.capacity), empty_int64_2d(t, words)
        self.column, self.factor, self.last = empty_int64(m), empty_int64(m), empty_int64(words)
        self.chosen = empty_int64(len(sets))


def trailing_zeros(word):
    """Return the place of the lowest bit that is set."""
    place = 0
    step = 32
    while step:
        if word & ((_ONE << step) - 1) == 0:
            place += step
            word >>= step
        step >>= 1
    return place


def frequent_sets(
    codes: cython.int[:, ::1],
    cardinality: cython.longlong[::1],
    weight: cython.longlong[::1],
    k: cython.longlong,
    sets: cython.ulonglong[::1],
) -> NDArray[np.uint64]:
    """Return bit sets [j, ceil(t / 64)]: row types whose values in the columns ``sets[j]`` are shared by k rows.

    A set of columns with more possible values than 32 t is not counted and stays full: sifting less is safe. O(j s t).
    """
    frequent = np.zeros((len(sets), (len(codes) + 63) >> 6), np.uint64)
    bits: cython.ulonglong[:, ::1] = frequent
    column: cython.longlong[::1] = np.empty(codes.shape[1], np.int64)
    key: cython.longlong[::1] = np.empty(len(codes), np.int64)
    count: cython.longlong[::1] = np.empty(32 * len(codes) + 1024, np.int64)
    with cython.nogil:
        for j in range(sets.shape[0]):
            _mark(codes, cardinality, weight, k, sets[j], column, key, count, bits[j])
    return frequent


def _mark(codes, cardinality, weight, k, shown, column, key, count, bits):
    """Set the bit of each row type whose values in the shown columns are shared by k rows."""
    columns = 0
    size = 1
    for c in range(column.shape[0]):
        if (shown >> c) & 1:
            column[columns] = c
            columns += 1
            size *= cardinality[c]
            if size > count.shape[0]:
                for w in range(bits.shape[0]):
                    bits[w] = _WORD
                return
    for value in range(size):
        count[value] = 0
    for i in range(codes.shape[0]):
        value = 0
        for a in range(columns):
            value = value * cardinality[column[a]] + codes[i, column[a]]
        key[i] = value
        count[value] += weight[i]
    for i in range(codes.shape[0]):
        if count[key[i]] >= k:
            bits[i >> 6] |= _ONE << (i & 63)


def sift(groups, alive, shown):
    """List in ``groups.row`` the live rows whose values are frequent in every set of shown columns; return how many."""
    n = 0
    chosen = 0
    for j in range(groups.sets.shape[0]):
        if groups.sets[j] & shown == groups.sets[j]:
            groups.chosen[chosen] = j
            chosen += 1
    for w in range(alive.shape[0]):
        rest: cython.ulonglong = alive[w]
        for j in range(chosen):
            if rest == 0:
                break
            rest &= groups.frequent[groups.chosen[j], w]
        while rest:
            groups.row[n] = w * 64 + trailing_zeros(rest)
            n += 1
            rest &= rest - 1
    return n


@cython.overflowcheck(False)
def _mix(mixed, value):
    """Return a hash with another word."""
    return ((mixed ^ value) * _HASH) & _WORD


def group(groups, shown, rows):
    """Give those of the first ``rows`` listed rows that agree on the shown columns one slot; return the slots from 0 in use.

    A group is one exact key; the hash only finds its slot.
    """
    words = groups.key.shape[1]
    size = 64
    shift = 58
    _list_columns(groups, shown)
    while size < 2 * rows:
        size *= 2
        shift -= 1
    for h in range(size):
        groups.first[h] = -1
    for r in range(rows):
        i = groups.row[r]
        mixed: cython.ulonglong = 0
        a = 0
        for w in range(words):
            value = 0
            while a < groups.last[w]:
                value += groups.codes[i, groups.column[a]] * groups.factor[a]
                a += 1
            groups.key[r, w] = value
            mixed = _mix(mixed, cython.cast(cython.ulonglong, value))
        h = cython.cast(cython.longlong, mixed >> shift)
        while groups.first[h] >= 0 and not _same_key(groups, groups.first[h], r):
            h = (h + 1) & (size - 1)
        if groups.first[h] < 0:
            groups.first[h] = r
        groups.slot[r] = h
    return size


def _list_columns(groups, shown):
    """List the shown columns, key word after key word."""
    columns = 0
    for w in range(groups.last.shape[0]):
        for c in range(groups.column.shape[0]):
            if groups.word[c] == w and (shown >> c) & 1:
                groups.column[columns] = c
                groups.factor[columns] = groups.stride[c]
                columns += 1
        groups.last[w] = columns


def _same_key(groups, a, b):
    w = 0
    while w < groups.key.shape[1] and groups.key[a, w] == groups.key[b, w]:
        w += 1
    return w == groups.key.shape[1]
