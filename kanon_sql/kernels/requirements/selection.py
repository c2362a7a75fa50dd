"""Which of the candidate rows of an instance form the class that gains most and meets the requirement.

The rows whose prices exceed the cost of the instance should all be in. Where these miss the requirement, rows leave and others
join, the ones that lose least for the shortfall they remove first, until it is met.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, zeros_float64, zeros_int64
from kanon_sql.kernels.criteria.dispatch import meets, shortfall
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement

_SMALL = cython.declare(cython.double, 1e-9)
"""A shortfall below this is none."""

_INFINITE = cython.declare(cython.double, np.inf)

_SHARE = cython.declare(cython.longlong, 64)
"""Of a shortfall, one part of so many is removed at once."""


@cython.final
@cython.cclass
class Selection:
    """The rows selected of an instance: of each segment all items before ``end``, and ``part`` rows of the one there.

    Parameters
    ----------
    required : EncodedRequirement
        What a class has to meet.
    segments, longest : int
        The most segments of an instance, and the most items of a segment.

    Attributes
    ----------
    work : CriteriaWorkspace
        For the tests; each thread needs its own selection.
    available, price : int64, float64 arrays [t]
        Rows of each row type that may be selected, and the price of a row; see `set_supply`.
    end, part : int64 arrays
        By segment of the instance.
    histogram : int64 array [V]
        Of the class: of the rows it had before, and of those selected.
    direction : int64 array
        By segment, -1 where rows left that had been in, 1 where some joined that had not.
    joining, leaving : float64 arrays
        By segment, the price of the next row that could join, and of the next that could leave.
    scratch : int32 array
        For sorting a segment.
    """

    def __init__(self, required: EncodedRequirement, segments: int, longest: int) -> None:
        self.required, self.work = required, CriteriaWorkspace(required)
        self.available, self.price = zeros_int64(0), zeros_float64(0)
        self.end, self.part = zeros_int64(segments), zeros_int64(segments)
        self.direction = zeros_int64(segments)
        self.joining, self.leaving = zeros_float64(segments), zeros_float64(segments)
        self.histogram = zeros_int64(required.counters)
        self.scratch = empty_int32(longest)

    def set_supply(self, available: NDArray[np.int64], price: NDArray[np.float64]) -> None:
        """Select among the available rows of each row type, at these prices."""
        self.available, self.price = available, price


def clear(selection):
    """Begin with an empty class."""
    for v in range(selection.histogram.shape[0]):
        selection.histogram[v] = 0


def select(selection, candidates, j, cost, floor, rows):
    """Select rows of instance j; return what they gain, and the rows of its class: 0 if none was found.

    Parameters
    ----------
    selection
        Its ``histogram`` is that of the rows that the class has already.
    candidates
        Sorted by price.
    cost, floor
        What a row costs in the instance, and a gain below which no class is wanted.
    rows
        The rows that the class has already.

    Notes
    -----
    O(items), and O(segments + V) for each row that leaves or joins.
    """
    key: cython.double
    joins: cython.bint
    help_of: cython.double
    low = candidates.begin[j]
    segments = candidates.begin[j + 1] - low
    gain: cython.double = 0.0
    for s in range(segments):
        moved, gain = _take_profitable(selection, candidates, low + s, s, cost, gain)
        rows += moved
    while gain > floor:
        missing: cython.double = shortfall(selection.required, selection.work, selection.histogram, 0, rows)
        if missing < _SMALL:
            return gain, rows if meets(selection.required, selection.work, selection.histogram, 0, rows) else 0
        best, joins, key, help_of = _best_move(selection, candidates, low, segments, cost)
        if best < 0:
            return gain, 0
        if gain - missing * key <= floor:  # the rest is not removed for less
            return floor, 0
        moved = 1 + cython.cast(cython.longlong, missing / help_of) // _SHARE
        moved, gain = _move(selection, candidates, low + best, best, joins, moved, cost, gain)
        rows += moved
    return gain, 0


def _take_profitable(selection, candidates, segment, s, cost, gain):
    """Select the rows of a segment whose price exceeds their cost; return how many, and the gain with them."""
    g = candidates.group[segment]
    a = candidates.first[segment]
    inside = 0
    while a < candidates.first[segment + 1] and selection.price[candidates.item[a]] > cost:
        i = candidates.item[a]
        inside += selection.available[i]
        gain += selection.available[i] * (selection.price[i] - cost)
        a += 1
    selection.end[s] = a
    selection.part[s] = 0
    selection.direction[s] = 0
    for b in range(candidates.counter.shape[1]):
        selection.histogram[candidates.counter[g, b]] += inside
    selection.joining[s] = _next(selection, candidates, segment, s)
    selection.leaving[s] = _last(selection, candidates, segment, s)
    return inside, gain


def _best_move(selection, candidates, low, segments, cost):
    """Return the segment whose next row removes most of the shortfall for what it loses (-1: none), and whether it joins.

    With them, the loss for each unit of the shortfall, and how much of it a row removes.
    """
    best = -1
    joins: cython.bint = False
    key: cython.double = _INFINITE
    help_of: cython.double = 0.0
    for s in range(segments):
        more: cython.double = 0.0
        less: cython.double = 0.0
        for b in range(candidates.counter.shape[1]):
            c = candidates.counter[candidates.group[low + s], b]
            more += selection.work.added[c]
            less += selection.work.removed[c]
        if more > _SMALL and selection.direction[s] >= 0 and cost - selection.joining[s] < key * more:
            best = s
            key = (cost - selection.joining[s]) / more
            help_of = more
            joins = True
        if less > _SMALL and selection.direction[s] <= 0 and selection.leaving[s] - cost < key * less:
            best = s
            key = (selection.leaving[s] - cost) / less
            help_of = less
            joins = False
    return best, joins, key, help_of


def _move(selection, candidates, segment, s, joins, wanted, cost, gain):
    """Let rows of a segment join or leave; return how many more there are, and the gain."""
    g = candidates.group[segment]
    moved = 0
    selection.direction[s] = 1 if joins else -1
    while moved < wanted and (selection.joining[s] if joins else -selection.leaving[s]) > -_INFINITE:
        i = candidates.item[selection.end[s]]
        if joins:
            some = min(wanted - moved, selection.available[i] - selection.part[s])
            selection.part[s] += some
            gain += some * (selection.price[i] - cost)
            selection.joining[s] = _next(selection, candidates, segment, s)
        else:
            some = min(wanted - moved, selection.part[s])
            selection.part[s] -= some
            gain -= some * (selection.price[i] - cost)
            selection.leaving[s] = _last(selection, candidates, segment, s)
        moved += some
    moved = moved if joins else -moved
    for b in range(candidates.counter.shape[1]):
        selection.histogram[candidates.counter[g, b]] += moved
    return moved, gain


def _next(selection, candidates, segment, s):
    """Move the end of a segment to the most expensive row that is not in; return its price, -inf if there is none."""
    while selection.end[s] < candidates.first[segment + 1]:
        i = candidates.item[selection.end[s]]
        if selection.part[s] < selection.available[i]:
            return selection.price[i]
        selection.end[s] += 1
        selection.part[s] = 0
    return -_INFINITE


def _last(selection, candidates, segment, s):
    """Move the end of a segment to the cheapest row that is in; return its price, inf if there is none."""
    while selection.part[s] == 0:
        if selection.end[s] == candidates.first[segment]:
            return _INFINITE
        selection.end[s] -= 1
        selection.part[s] = selection.available[candidates.item[selection.end[s]]]
    return selection.price[candidates.item[selection.end[s]]]
