"""Simplices: row types of which two or three rows may form a class, and what that costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython

FORBIDDEN = 1 << 40
"""Cost of a row where no pattern shows only what its class agrees on."""

TRIPLE_SURCHARGE_BITS = 6
"""A triple costs spread / 2^bits more than half of its pairs, so that it is not there without need."""

_JITTER_BITS = cython.declare(cython.longlong, 20)

_FORBIDDEN = cython.declare(cython.longlong, FORBIDDEN)
_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)
_FACTOR_LOW = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_FACTOR_HIGH = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
_FACTOR_FIRST = cython.declare(cython.ulonglong, 0xFF51AFD7ED558CCD)
_FACTOR_LAST = cython.declare(cython.ulonglong, 0xC4CEB9FE1A85EC53)


@cython.final
@cython.cclass
class Simplices:
    """Row types of which two or three rows may form a class.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    weight : int64 array [t]
        Rows of each row type.
    apart : int64 array [t]
        Rows with the same number from 0 may not be in one class.
    cost : int64 array [m]
        Cost of hiding each column in a row.
    cheapest : int64 array [2^m]
        Cost of a row by the columns on which its class agrees; empty where it is just the sum of ``cost`` over the others.
    unit : int
        Costs are counted in 1 / ``unit``.
    spread : int
        Each pair costs up to this much more, by chance, so that hardly two matchings cost the same; a triple costs half of
        what its pairs cost more, and a little.

    Attributes
    ----------
    by_column : int32 array [m, t]
        Codes, a column after the other.
    """

    def __init__(
        self,
        *,
        codes: NDArray[np.int32],
        weight: NDArray[np.int64],
        apart: NDArray[np.int64],
        cost: NDArray[np.int64],
        cheapest: NDArray[np.int64],
        unit: int,
        spread: int,
    ) -> None:
        self.codes, self.by_column = codes, np.ascontiguousarray(codes.T)
        self.weight, self.apart = weight, apart
        self.cost, self.cheapest = cost, cheapest
        self.unit, self.spread = unit, spread


@cython.overflowcheck(False)
def _jitter(a, b):
    """Return bits that look like chance, the same for both orders."""
    low: cython.ulonglong = cython.cast(cython.ulonglong, min(a, b))
    high: cython.ulonglong = cython.cast(cython.ulonglong, max(a, b))
    mixed: cython.ulonglong = ((low * _FACTOR_LOW) ^ ((high + 1) * _FACTOR_HIGH)) & _WORD
    mixed = ((mixed ^ (mixed >> 33)) * _FACTOR_FIRST) & _WORD
    mixed = ((mixed ^ (mixed >> 33)) * _FACTOR_LAST) & _WORD
    return cython.cast(cython.longlong, mixed >> (64 - _JITTER_BITS))


def tie_break_of_two(s, a, b):
    """Return what a pair costs more, so that ties are broken as if by chance."""
    return (_jitter(a, b) * s.spread) >> _JITTER_BITS


def tie_break_of_three(s, a, b, c):
    """Return what a triple costs more, so that ties are broken as if by chance."""
    pairs = tie_break_of_two(s, a, b) + tie_break_of_two(s, a, c) + tie_break_of_two(s, b, c)
    return ((pairs + 1) >> 1) + (s.spread >> TRIPLE_SURCHARGE_BITS)


def row_cost(s, a, b, c):
    """Return the cost of a row in a class of a, b and c."""
    agreed = 0
    total = 0
    if s.cheapest.shape[0]:
        for column in range(s.cost.shape[0]):
            code: cython.int = s.codes[a, column]
            same = (code == s.codes[b, column]) & (code == s.codes[c, column])
            agreed |= same << column
        return s.cheapest[agreed]
    for column in range(s.cost.shape[0]):
        code = s.codes[a, column]
        if code != s.codes[b, column] or code != s.codes[c, column]:
            total += s.cost[column]
    return total


def pair_costs(s, a, first, agreed, row):
    """Fill in the cost of a row in a class of a and b, for each b from ``first`` on; ``agreed`` [t] is scratch.

    Column after column: as one of these loops adds to all rows the same way, it takes several at once.
    """
    if s.cheapest.shape[0]:
        for b in range(first, row.shape[0]):
            agreed[b] = 0
        for c in range(s.cost.shape[0]):
            _add_agreed(s.by_column[c], s.by_column[c, a], 1 << c, first, agreed)
        for b in range(first, row.shape[0]):
            row[b] = s.cheapest[agreed[b]]
    else:
        for b in range(first, row.shape[0]):
            row[b] = 0
        for c in range(s.cost.shape[0]):
            _add_hidden(s.by_column[c], s.by_column[c, a], s.cost[c], first, row)


def _add_agreed(codes, own, bit, first, agreed):
    for b in range(first, agreed.shape[0]):
        agreed[b] += bit if codes[b] == own else 0


def _add_hidden(codes, own, cost, first, row):
    for b in range(first, row.shape[0]):
        row[b] += cost if codes[b] != own else 0


def fit(s, a, b):
    """Return whether two rows may be in one class."""
    return (s.apart[a] < 0 or s.apart[a] != s.apart[b]) and (a != b or s.weight[a] > 1)


def class_costs(s: Simplices, member: cython.int[:, ::1]) -> NDArray[np.int64]:
    """Return the cost of each class [g, 3], the third row type -1 in a pair; -1 where the rows may not be a class; O(g m)."""
    answer = np.empty(member.shape[0], np.int64)
    total: cython.longlong[::1] = answer
    with cython.nogil:
        for g in range(member.shape[0]):
            total[g] = _class_cost(s, member[g, 0], member[g, 1], member[g, 2])
    return answer


def _class_cost(s, a, b, c):
    row = row_cost(s, a, b, b if c < 0 else c)
    if row >= _FORBIDDEN or not fit(s, a, b):
        return -1
    if c < 0:
        return 2 * s.unit * row + tie_break_of_two(s, a, b)
    if fit(s, a, c) and fit(s, b, c) and not (a == b and b == c and s.weight[a] < 3):
        return 3 * s.unit * row + tie_break_of_three(s, a, b, c)
    return -1


def nearest(s: Simplices, count: int, start: cython.longlong, step: cython.longlong) -> NDArray[np.int32]:
    """Return the cheapest ``count`` partners of every ``step``-th row type from ``start``, -1 if there are fewer; O(t^2 m)."""
    t = len(s.weight)
    found: cython.int[:, ::1] = np.full(((t - start + step - 1) // step, count), -1, np.int32)
    agreed: cython.int[::1] = np.empty(t, np.int32)
    row: cython.longlong[::1] = np.empty(t, np.int64)
    best: cython.longlong[::1] = np.empty(count, np.int64)
    with cython.nogil:
        for f in range(found.shape[0]):
            pair_costs(s, start + f * step, 0, agreed, row)
            _nearest(s, start + f * step, row, best, found[f])
    return np.asarray(found)


def _nearest(s, a, row, best, found):
    """Fill in the partners of a row type that make the cheapest ``row``; ``best`` keeps their costs, ascending."""
    count = found.shape[0]
    for place in range(count):
        best[place] = _FORBIDDEN << _JITTER_BITS
    for b in range(s.weight.shape[0]):
        cost = row[b] << _JITTER_BITS
        if cost >= best[count - 1] or not fit(s, a, b):  # the jitter only adds to it
            continue
        cost += _jitter(a, b)
        place = count
        while place > 0 and best[place - 1] > cost:
            place -= 1
            if place < count - 1:
                best[place + 1] = best[place]
                found[place + 1] = found[place]
        if place < count:
            best[place] = cost
            found[place] = b
