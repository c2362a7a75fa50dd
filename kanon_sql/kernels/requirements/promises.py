"""What a class promises about its sensitive values, as loops can test it; a histogram has a counter for each of them.

Loops that run for every move of a row take plain arrays: numba counts references to what it takes out of a tuple or a slice,
and that costs more than the test itself.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.transport import transport

FREQUENCY, DISTINCT, ENTROPY, RECURSIVE, ALPHA, EQUAL, TREE, MATRIX, COUNT = range(9)
"""Kinds of requirements."""

ROWS, LEAST, COUNTERS, OF_FIRST, REQUIREMENTS, HEAD, TOTAL = range(7)
"""The head of a law: rows of the whole table, least rows of a class, number of counters, of those of the first attribute, and
of requirements; where the requirements begin, and the rows of the whole table by counter."""

KIND, LOW, HIGH, NUM, DEN, EXTRA, EXACT, DATA, EDGES, SHARES, WIDTH = range(11)
"""The parts of a requirement: kind, counters from low to high - 1, threshold num / den, extra (the counter that alpha or a
count names, l of the recursive variant, the scale of a distance), whether 64 bits suffice, where its data begin, the number of
its edges and where their shares begin; and how many parts there are."""

_ERROR = 1e-13
"""Relative error of a sum of logarithms, generously."""

Int64 = NDArray[np.int64]


class Rules(NamedTuple):
    """A promise laid out for loops.

    ``law`` int64: the head, the requirements one behind the other, then the data. The data of a distance along a tree are
    the lengths of its edges, children first, their parents (-1 below the root), the rows of the whole table below them, and
    for each counter the lowest edge above it (-1: none); those of a matrix are its rows. Where 64 bits do not suffice, floats
    decide, and doubt is failure.

    ``share`` float64: the shares of the whole table, by counter and, from ``SHARES`` of a requirement on, by edge. ``room``
    int64 is for sums: every thread needs its own. ``counter`` [t, s]: the counters that a row of each row type raises.
    """

    law: Int64
    share: NDArray[np.float64]
    room: Int64
    counter: NDArray[np.int32]


@njit(cache=True, nogil=True)
def meets(law: Int64, room: Int64, h: Int64, rows: int) -> bool:
    """Return whether a class of that many rows with the histogram ``h`` [V] keeps the promise; O(V), more for matrices."""
    if rows < law[LEAST]:
        return False
    for q in range(law[REQUIREMENTS]):
        at = law[HEAD] + q * WIDTH
        kind, low, high = law[at + KIND], law[at + LOW], law[at + HIGH]
        num, den, extra = law[at + NUM], law[at + DEN], law[at + EXTRA]
        if kind == FREQUENCY:
            kept = most(h, low, high) * num <= rows * den
        elif kind == DISTINCT:
            kept = values(h, low, high) >= num
        elif kind == ENTROPY:
            kept = _diverse(h, low, high, rows, num, den)
        elif kind == RECURSIVE:
            kept = most(h, low, high) * den < num * tail(h, low, high, rows, extra, room)
        elif kind == ALPHA:
            kept = h[extra] * den <= num * rows
        elif kind == COUNT:
            kept = h[extra] >= num
        else:
            if kind == EQUAL:
                work, about = _apart(law, h, low, high, rows)
            elif kind == TREE:
                below(law, at, h, room)
                work, about = _crossing(law, at, room, rows)
            else:
                work, about = _moved(law, at, h, rows)
            if law[at + EXACT]:
                kept = work * den <= num * extra * law[ROWS] * rows
            else:
                limit = float(num) * extra * law[ROWS] * rows
                kept = about == 0.0 or about * den * (1.0 + _ERROR) <= limit * (1.0 - _ERROR)
        if not kept:
            return False
    return True


@njit(cache=True, nogil=True)
def most(h: Int64, low: int, high: int) -> np.int64:
    """Return the greatest counter."""
    found = np.int64(0)
    for v in range(low, high):
        found = max(found, h[v])
    return found


@njit(cache=True, nogil=True)
def values(h: Int64, low: int, high: int) -> np.int64:
    """Return how many counters are above 0."""
    found = np.int64(0)
    for v in range(low, high):
        found += h[v] > 0
    return found


@njit(cache=True, nogil=True)
def tail(h: Int64, low: int, high: int, rows: int, size: int, room: Int64) -> np.int64:
    """Return the rows behind the ``size - 1`` greatest counters, whose places are put into ``room``."""
    kept, behind = 0, np.int64(rows)
    for v in range(low, high):
        if kept == size - 1 and (kept == 0 or h[v] <= h[room[kept - 1]]):
            continue
        place = kept if kept < size - 1 else kept - 1
        kept = min(kept + 1, size - 1)
        while place > 0 and h[room[place - 1]] < h[v]:
            room[place] = room[place - 1]
            place -= 1
        room[place] = v
    for place in range(kept):
        behind -= h[room[place]]
    return behind


@njit(cache=True, nogil=True)
def below(law: Int64, at: int, h: Int64, room: Int64) -> None:
    """Sum the counters below each edge of a requirement into ``room``."""
    edges = law[at + EDGES]
    parent, leaf = law[at + DATA] + edges, law[at + DATA] + 3 * edges - law[at + LOW]
    for e in range(edges):
        room[e] = 0
    for v in range(law[at + LOW], law[at + HIGH]):
        if h[v] and law[leaf + v] >= 0:
            room[law[leaf + v]] += h[v]
    for e in range(edges):
        if law[parent + e] >= 0:
            room[law[parent + e]] += room[e]


@njit(cache=True, nogil=True)
def _diverse(h: Int64, low: int, high: int, rows: int, num: int, den: int) -> bool:
    """Return whether the entropy is at least log(num / den)."""
    part, found, least, greatest = 0.0, 0, np.int64(rows), np.int64(0)
    for v in range(low, high):
        if h[v]:
            part += h[v] * log(h[v])
            found += 1
            least, greatest = min(least, h[v]), max(greatest, h[v])
    if least == greatest:  # the entropy is log of the number of values, exactly
        return found * den >= num
    size = part + rows * (log(rows) + log(num) + log(den) + 1.0)
    return rows * (log(rows) - log(num) + log(den)) - part > _ERROR * size


@njit(cache=True, nogil=True)
def _apart(law: Int64, h: Int64, low: int, high: int, rows: int) -> tuple[np.int64, float]:
    work, about = np.int64(0), 0.0
    for v in range(low, high):
        gap = abs(law[ROWS] * h[v] - rows * law[law[TOTAL] + v])
        work += gap
        about += gap
    return work, about


@njit(cache=True, nogil=True)
def _crossing(law: Int64, at: int, held: Int64, rows: int) -> tuple[np.int64, float]:
    edges, length = law[at + EDGES], law[at + DATA]
    work, about = np.int64(0), 0.0
    for e in range(edges):
        gap = abs(law[ROWS] * held[e] - rows * law[length + 2 * edges + e])
        work += gap * law[length + e]
        about += float(gap) * law[length + e]
    return work, about


@njit(cache=True, nogil=True)
def excess(law: Int64, at: int, h: Int64, rows: int) -> Int64:
    """Return what each value of a class has more than its share, times the rows of the whole table."""
    low, high = law[at + LOW], law[at + HIGH]
    found = np.empty(high - low, np.int64)
    for v in range(high - low):
        found[v] = law[ROWS] * h[low + v] - rows * law[law[TOTAL] + low + v]
    return found


@njit(cache=True, nogil=True)
def _moved(law: Int64, at: int, h: Int64, rows: int) -> tuple[np.int64, float]:
    size, first = law[at + HIGH] - law[at + LOW], law[at + DATA]
    flow, _ = transport(law[first : first + size * size], excess(law, at, h, rows))
    work, about = np.int64(0), 0.0
    for u in range(size):
        for v in range(size):
            work += flow[u, v] * law[first + u * size + v]
            about += float(flow[u, v]) * law[first + u * size + v]
    return work, about
