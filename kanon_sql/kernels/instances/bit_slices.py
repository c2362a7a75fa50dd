"""How much each row type agrees with one of them: counters in bit slices, and the nearest rows peeled off them.

Bit b of the counters of 64 row types is one word, so a column is added to 64 counters by a few operations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.groups import trailing_zeros

_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class Values:
    """The row types that have each value.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    column, cost : int64 arrays [m]
        The columns, equally expensive ones next to each other, and the cost of two row types that differ there, 1 or more.
    first : int64 array [m + 1]
        The place of the code 0 of a column among all codes.
    start : int64 array [values + 1]
        Where the row types of each value begin in ``member``.
    member : int32 array [m t]
        The row types that have a value, ascending.
    place : int32 array [values]
        The bit set of a frequent value, -1 of a rare one.
    bits : uint64 array [sets, ceil(t / 64)]
        Bit sets of row types.
    """

    def __init__(
        self,
        codes: NDArray[np.int32],
        column: NDArray[np.int64],
        cost: NDArray[np.int64],
        first: NDArray[np.int64],
        start: NDArray[np.int64],
        member: NDArray[np.int32],
        place: NDArray[np.int32],
        bits: NDArray[np.uint64],
    ) -> None:
        self.codes, self.column, self.cost, self.first = codes, column, cost, first
        self.start, self.member, self.place, self.bits = start, member, place, bits


@cython.final
@cython.cclass
class Agreement:
    """What the columns cost in which one row type agrees with each other, and those not yet taken as near it.

    Parameters
    ----------
    values : Values
        Of the table.

    Attributes
    ----------
    counter : uint64 array [bits, words]
        Bit slices of the counters.
    carry, left, level : uint64 arrays [words]
        Scratch; the row types that are not taken yet; those that were taken last.
    total : int
        Cost of all columns.
    away : int
        How far the row types that were taken last are from the one.
    """

    def __init__(self, values: Values) -> None:
        words = values.bits.shape[1]
        self.total = int(np.sum(values.cost))
        self.counter = np.zeros((self.total.bit_length(), words), np.uint64)
        self.carry, self.left, self.level = (np.zeros(words, np.uint64) for _ in range(3))
        self.away = 0


def compare(values, agreement, i):
    """Count for all row types what they share with row type i; all but itself are left to be taken."""
    one = -1
    one_cost = 0
    _clear(agreement.counter, agreement.left, values.codes.shape[0])
    for place in range(values.column.shape[0]):
        c = values.column[place]
        value = values.first[c] + values.codes[i, c]
        bits = values.place[value]
        if bits < 0:
            for a in range(values.start[value], values.start[value + 1]):
                _add_to(agreement.counter, values.member[a], values.cost[place])
        elif one < 0:
            one = bits
            one_cost = values.cost[place]
        elif one_cost == values.cost[place]:
            _add_sets(agreement.counter, agreement.carry, values.bits, one, bits, one_cost)
            one = -1
        else:
            _add_sets(agreement.counter, agreement.carry, values.bits, one, -1, one_cost)
            one = bits
            one_cost = values.cost[place]
    if one >= 0:
        _add_sets(agreement.counter, agreement.carry, values.bits, one, -1, one_cost)
    agreement.left[i >> 6] ^= _ONE << cython.cast(cython.ulonglong, i & 63)


def _clear(counter, left, t):
    for b in range(counter.shape[0]):
        for w in range(counter.shape[1]):
            counter[b, w] = 0
    for w in range(left.shape[0]):
        left[w] = 0xFFFFFFFFFFFFFFFF
    if t & 63:
        left[left.shape[0] - 1] = (_ONE << cython.cast(cython.ulonglong, t & 63)) - 1


def _add_to(counter, j, cost):
    """Add a cost to the counter of one row type."""
    w = j >> 6
    for b in range(counter.shape[0]):
        if (cost >> b) & 1:
            carry: cython.ulonglong = _ONE << cython.cast(cython.ulonglong, j & 63)
            c = b
            while carry:
                held: cython.ulonglong = counter[c, w]
                counter[c, w] = held ^ carry
                carry &= held
                c += 1


def _add_sets(counter, carry, bits, one, other, cost):
    """Add a cost to the counters of the row types in a bit set, or in each of two."""
    for b in range(counter.shape[0]):
        if (cost >> b) & 1 == 0:
            continue
        if other < 0:
            for w in range(carry.shape[0]):
                held: cython.ulonglong = counter[b, w]
                x: cython.ulonglong = bits[one, w]
                counter[b, w] = held ^ x
                carry[w] = held & x
        else:
            for w in range(carry.shape[0]):
                held = counter[b, w]
                x = bits[one, w]
                y: cython.ulonglong = bits[other, w]
                counter[b, w] = held ^ x ^ y
                carry[w] = (held & (x | y)) | (x & y)
        for c in range(b + 1, counter.shape[0]):
            for w in range(carry.shape[0]):
                held = counter[c, w]
                x = carry[w]
                counter[c, w] = held ^ x
                carry[w] = held & x


def take_nearest(agreement):
    """Take the row types that are nearest of those left, all equally near; False if none is left."""
    shared = 0
    if not _copy(agreement.left, agreement.level):
        return False
    for b in range(agreement.counter.shape[0] - 1, -1, -1):
        if _keep(agreement.counter, b, agreement.level, agreement.carry):
            shared += cython.cast(cython.longlong, 1) << b
    _remove(agreement.left, agreement.level)
    agreement.away = agreement.total - shared
    return True


def _copy(source, target):
    """Copy a bit set; return whether it has any."""
    some: cython.ulonglong = 0
    for w in range(source.shape[0]):
        target[w] = source[w]
        some |= source[w]
    return some != 0


def _keep(counter, b, level, scratch):
    """Keep of a bit set those whose counters have bit b, if there are any; return whether there are."""
    some: cython.ulonglong = 0
    for w in range(level.shape[0]):
        scratch[w] = level[w] & counter[b, w]
        some |= scratch[w]
    if some:
        for w in range(level.shape[0]):
            level[w] = scratch[w]
    return some != 0


def _remove(left, level):
    """Take those of a level, all of which are left."""
    for w in range(left.shape[0]):
        left[w] ^= level[w]


def next_taken(agreement, w):
    """Return one of the row types that were taken last from word w on, and forget it; -1 if there is none."""
    while w < agreement.level.shape[0]:
        word: cython.ulonglong = agreement.level[w]
        if word:
            agreement.level[w] = word & (word - 1)
            return w * 64 + trailing_zeros(word)
        w += 1
    return -1
