"""Whether a class that is grown to a certain size can still keep its promise, whatever rows are found for it.

Floats, and never too strict but for their rounding: they only lead the way; whether a promise is kept is for `meets` to say.
"""

from __future__ import annotations

from math import log

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.promises import (
    ALPHA,
    COUNT,
    DATA,
    DEN,
    DISTINCT,
    EDGES,
    ENTROPY,
    EQUAL,
    EXTRA,
    FREQUENCY,
    HEAD,
    HIGH,
    KIND,
    LOW,
    NUM,
    RECURSIVE,
    REQUIREMENTS,
    SHARES,
    TREE,
    WIDTH,
    Int64,
    below,
    most,
    tail,
    values,
)

Floats = NDArray[np.float64]

_ROUNDING = 1e-9
"""Relative error of a sum of floats, generously."""


@njit(cache=True, nogil=True)
def promising(law: Int64, share: Floats, room: Int64, h: Int64, rows: int, size: int) -> bool:
    """Return whether rows with the histogram ``h`` [V] may be part of a class of ``size`` rows that keeps the promise.

    Parameters
    ----------
    law, share, room
        Of `Rules`.
    rows : int
        Rows in the histogram, ``size`` or fewer.

    Notes
    -----
    What is left may have any values, of each requirement apart. O(V), O(V log size) for the entropy, O(V^2) for matrices.
    """
    rest = size - rows
    for q in range(law[REQUIREMENTS]):
        at = law[HEAD] + q * WIDTH
        kind, low, high, num, den = law[at + KIND], law[at + LOW], law[at + HIGH], law[at + NUM], law[at + DEN]
        if kind == FREQUENCY:
            may = most(h, low, high) * num <= size * den
        elif kind == DISTINCT:
            may = values(h, low, high) + rest >= num
        elif kind == ENTROPY:
            may = size * log(size) - _least_part(h, low, high, rest, size) >= size * log(num / den) - _ROUNDING * size
        elif kind == RECURSIVE:
            may = most(h, low, high) * den < num * (tail(h, low, high, rows, law[at + EXTRA], room) + rest)
        elif kind == ALPHA:
            may = h[law[at + EXTRA]] * den <= num * size
        elif kind == COUNT:
            may = h[law[at + EXTRA]] + rest >= num
        else:
            limit = num / den * law[at + EXTRA] * size * (1.0 + _ROUNDING)
            if kind == EQUAL:
                work = 2.0 * _above(h, low, high, size, share)
            elif kind == TREE:
                below(law, at, h, room)
                work = _across(law, at, share, room, rest, size)
            else:
                work = _away(law, at, share, h, size)
            may = work <= limit
        if not may:
            return False
    return True


@njit(cache=True, nogil=True)
def _least_part(h: Int64, low: int, high: int, rest: int, size: int) -> float:
    """Return the least sum of x log x over the counters after ``rest`` rows more: the lowest are filled to one level."""
    level, above = 0, size + 1
    while above - level > 1:
        middle = (level + above) // 2
        needed = 0
        for v in range(low, high):
            needed += max(0, middle - h[v])
        if needed <= rest:
            level = middle
        else:
            above = middle
    part, left = 0.0, rest
    for v in range(low, high):
        left -= max(0, level - h[v])
    for v in range(low, high):
        x = max(h[v], level)
        if left and x == level:
            x += 1
            left -= 1
        if x > 1:
            part += x * log(x)
    return part


@njit(cache=True, nogil=True)
def _above(h: Int64, low: int, high: int, size: int, share: Floats) -> float:
    """Return what is above the shares of the whole table."""
    found = 0.0
    for v in range(low, high):
        found += max(0.0, h[v] - share[v] * size)
    return found


@njit(cache=True, nogil=True)
def _across(law: Int64, at: int, share: Floats, held: Int64, rest: int, size: int) -> float:
    """Return what has to cross the edges of a tree at least."""
    edges, length, first = law[at + EDGES], law[at + DATA], law[at + SHARES]
    work = 0.0
    for e in range(edges):
        over = held[e] - share[first + e] * size
        work += max(over, -over - rest, 0.0) * law[length + e]
    return work


@njit(cache=True, nogil=True)
def _away(law: Int64, at: int, share: Floats, h: Int64, size: int) -> float:
    """Return what the values that are too frequent cost at least: each the way to the next value."""
    low, values_of, first = law[at + LOW], law[at + HIGH] - law[at + LOW], law[at + DATA]
    work = 0.0
    for v in range(values_of):
        over = h[low + v] - share[low + v] * size
        if over > 0.0:
            way = np.inf
            for u in range(values_of):
                if u != v:
                    way = min(way, float(law[first + v * values_of + u]))
            work += over * way if way < np.inf else 0.0
    return work
