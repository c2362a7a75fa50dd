"""Which of the rows that fit an instance form the class that gains most and keeps the promise.

Rows pay prices; those that pay more than the instance costs should all be in. Where these break the promise, rows leave and
others join, what loses least for what it mends first, until the promise is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.lacks import lack
from kanon_sql.kernels.requirements.promises import Rules, meets

_SMALL = 1e-9
"""A lack below this is none."""

_SHARE = 64
"""Of what is to be mended, one part of so many is mended at once."""


class Offers(NamedTuple):
    """Rows that fit instances, by kind: row types with the same sensitive values are of one kind.

    Instance j has the segments ``begin[j]`` to ``begin[j + 1] - 1``; those of segment s are of ``kind[s]``, the row types
    ``item[first[s] : first[s + 1]]``, dearest first. Kind g raises the ``counter[g]`` of a histogram.
    """

    begin: NDArray[np.int64]
    kind: NDArray[np.int32]
    first: NDArray[np.int64]
    item: NDArray[np.int32]
    counter: NDArray[np.int32]


class Hand(NamedTuple):
    """What is chosen of an instance: of each of its segments all items before ``end``, and ``part`` rows of the one there.

    ``held`` [V] is the histogram. The others are for the work: ``way`` is -1 where rows left that had been in, 1 where some
    joined that had not; ``dear`` is what the next row pays that could join, ``cheap`` the next that could leave; ``change``
    [2, V] is as in `lack`.
    """

    end: NDArray[np.int64]
    part: NDArray[np.int64]
    way: NDArray[np.int64]
    held: NDArray[np.int64]
    dear: NDArray[np.float64]
    cheap: NDArray[np.float64]
    change: NDArray[np.float64]


def hand_for(segments: int, counters: int) -> Hand:
    """Return a hand for instances of at most so many segments."""
    return Hand(
        end=np.zeros(segments, np.int64),
        part=np.zeros(segments, np.int64),
        way=np.zeros(segments, np.int64),
        held=np.zeros(counters, np.int64),
        dear=np.zeros(segments, np.float64),
        cheap=np.zeros(segments, np.float64),
        change=np.zeros((2, counters), np.float64),
    )


@njit(cache=True, nogil=True)
def pick(
    rules: Rules,
    offers: Offers,
    j: int,
    free: NDArray[np.int64],
    price: NDArray[np.float64],
    terms: tuple[float, float, int],
    hand: Hand,
) -> tuple[float, int]:
    """Choose rows of instance j; return what they gain, and the rows of its class: 0 if none was found.

    Parameters
    ----------
    free : int64 array [t]
        Rows of each row type that are to be had.
    price : float64 array [t]
        What a row of each row type pays.
    terms : tuple of float
        What a row costs in the instance, a gain below which no class is wanted, and the rows that the class has already.
    hand : Hand
        Whose ``held`` is the histogram of the rows that the class has already.

    Notes
    -----
    O(items), and O(segments + V) for each row that leaves or joins.
    """
    law, share, room, _ = rules
    begin, kind, first, item, counter = offers
    end, part, way, held, dear, cheap, change = hand
    low, high, (cost, floor, rows), gain = begin[j], begin[j + 1], terms, 0.0
    width = counter.shape[1]
    for s in range(low, high):
        a, inside = first[s], 0
        while a < first[s + 1] and price[item[a]] > cost:
            inside += free[item[a]]
            gain += free[item[a]] * (price[item[a]] - cost)
            a += 1
        end[s - low], part[s - low], way[s - low] = a, 0, 0
        rows += inside
        for b in range(width):
            held[counter[kind[s], b]] += inside
        dear[s - low] = _next(item, first[s + 1], free, price, end, part, s - low)
        cheap[s - low] = _last(item, first[s], free, price, end, part, s - low)
    while gain > floor:
        lacks = lack(law, share, room, held, rows, change)
        if lacks < _SMALL:
            return gain, rows if meets(law, room, held, rows) else 0
        best, key, help_of, joins = -1, np.inf, 0.0, False
        for s in range(high - low):
            more, less = 0.0, 0.0
            for b in range(width):
                more += change[0, counter[kind[low + s], b]]
                less += change[1, counter[kind[low + s], b]]
            if more > _SMALL and way[s] >= 0 and cost - dear[s] < key * more:
                best, key, help_of, joins = s, (cost - dear[s]) / more, more, True
            if less > _SMALL and way[s] <= 0 and cheap[s] - cost < key * less:
                best, key, help_of, joins = s, (cheap[s] - cost) / less, less, False
        if best < 0:
            return gain, 0
        if gain - lacks * key <= floor:  # the rest is not mended for less
            return floor, 0
        wanted, moved = 1 + int(lacks / help_of) // _SHARE, 0
        way[best] = 1 if joins else -1
        while moved < wanted and (dear[best] if joins else -cheap[best]) > -np.inf:
            i = item[end[best]]
            if joins:
                some = min(wanted - moved, free[i] - part[best])
                part[best] += some
                gain += some * (price[i] - cost)
                dear[best] = _next(item, first[low + best + 1], free, price, end, part, best)
            else:
                some = min(wanted - moved, part[best])
                part[best] -= some
                gain -= some * (price[i] - cost)
                cheap[best] = _last(item, first[low + best], free, price, end, part, best)
            moved += some
        moved = moved if joins else -moved
        rows += moved
        for b in range(width):
            held[counter[kind[low + best], b]] += moved
    return gain, 0


@njit(cache=True, nogil=True)
def _next(
    item: NDArray[np.int32],
    last: int,
    free: NDArray[np.int64],
    price: NDArray[np.float64],
    end: NDArray[np.int64],
    part: NDArray[np.int64],
    s: int,
) -> float:
    """Move the end of a segment to the dearest row that is not in; return what it pays, -inf if there is none."""
    while end[s] < last:
        i = item[end[s]]
        if part[s] < free[i]:
            return float(price[i])
        end[s] += 1
        part[s] = 0
    return -np.inf


@njit(cache=True, nogil=True)
def _last(
    item: NDArray[np.int32],
    first: int,
    free: NDArray[np.int64],
    price: NDArray[np.float64],
    end: NDArray[np.int64],
    part: NDArray[np.int64],
    s: int,
) -> float:
    """Move the end of a segment to the cheapest row that is in; return what it pays, inf if there is none."""
    while part[s] == 0:
        if end[s] == first:
            return np.inf
        end[s] -= 1
        part[s] = free[item[end[s]]]
    return float(price[item[end[s]]])
