"""Row types in an order that has similar ones near each other: lower bounds by which groups and blocks are passed over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.summaries.measure import RANGE, Measure

BLOCK = 16
GROUP = 256
"""Row types of a block and of a group: those of a group are compared at once, and those of a block one after the other."""

_ENDLESS = 1 << 40
"""Beyond all codes."""

_MOST = 32_000
"""Units of the greatest distance: 16 bits hold it."""


@cython.final
@cython.cclass
class RowTypeGroups:
    """Row types in their order, and what each group of them has in each column.

    Parameters
    ----------
    packed : int32 array [t, m]
        The row types.
    measure : Measure
        How loss is counted.

    Attributes
    ----------
    has : uint64 array [groups, m]
        Bits of the codes modulo 64.
    low, high : int64 arrays [groups, m]
        The range of the codes, without ends where a range has NULL: it is one step from all.
    unit, slack : int
        What one unit loses, and how many units a distance in units may be too great.
    step : int16 array [m]
        A step in units, rounded down.
    place : int16 array [groups, m, GROUP]
        Codes modulo 2^16; those of ranges in units, rounded down, and -1 for NULL.
    far : int16 array [2, GROUP]
        How far the row types of the group at hand on each side are from the one at hand, in units.
    """

    packed: cython.int[:, ::1]
    has: cython.ulonglong[:, ::1]
    low: cython.longlong[:, ::1]
    high: cython.longlong[:, ::1]
    unit: cython.longlong
    slack: cython.longlong
    step: cython.short[::1]
    place: cython.short[:, :, ::1]
    far: cython.short[:, ::1]

    def __init__(self, packed: NDArray[np.int32], measure: Measure) -> None:
        t, m = packed.shape
        starts, wide = np.arange(0, t, GROUP), packed.astype(np.int64)
        ranges, step = np.asarray(measure.kind) == RANGE, np.asarray(measure.step)
        null = ranges & (packed == np.asarray(measure.null))
        self.packed = packed
        self.has = np.bitwise_or.reduceat(np.uint64(1) << (packed & 63).astype(np.uint64), starts)
        self.low = np.minimum.reduceat(np.where(null, -_ENDLESS, wide), starts)
        self.high = np.maximum.reduceat(np.where(null, _ENDLESS, wide), starts)
        longest = np.where(ranges, np.diff(np.asarray(measure.first)) - 1, 1)
        unit = int(step @ longest) // _MOST + 1
        self.unit, self.slack, self.step = unit, int(ranges.sum()), (step // unit).astype(np.int16)
        place = np.zeros((len(starts) * GROUP, m), np.int16)
        place[:t] = np.where(null, -1, np.where(ranges, wide * step // unit, wide)).astype(np.int16)
        self.place = np.ascontiguousarray(place.reshape(-1, GROUP, m).transpose(0, 2, 1))
        self.far = np.zeros((2, GROUP), np.int16)


def units(groups, distance):
    """Return how many units are certainly farther than a distance."""
    return distance // groups.unit + 1 + groups.slack


def is_far(measure, groups, p, g, side, limit):
    """Return whether all row types of a group are as far from row type p as ``limit``; else set ``far``."""
    own = p // GROUP
    x = p % GROUP
    if _group_distance(measure, groups, p, g, limit) >= limit:
        return True
    _nothing(groups.far, side)
    for c in range(measure.columns):
        if measure.kind[c] != RANGE:
            _differ(groups.place, g, c, groups.place[own, c, x], groups.step[c], groups.far, side)
        elif groups.place[own, c, x] >= 0:
            _stand_apart(groups.place, g, c, groups.place[own, c, x], groups.far, side)
    return _least(groups.far, side) >= units(groups, limit)


def _group_distance(measure, groups, p, g, limit):
    """Return a lower bound on the distances from row type p to those of a group, or ``limit`` or more."""
    distance = 0
    for c in range(measure.columns):
        code = groups.packed[p, c]
        bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << cython.cast(cython.longlong, code & 63)
        if groups.has[g, c] & bit == 0:
            far = 1
            if measure.kind[c] == RANGE and code != measure.null[c]:
                far = max(groups.low[g, c] - code, code - groups.high[g, c], far)
            distance += far * measure.step[c]
            if distance >= limit:
                break
    return distance


def _nothing(far, side):
    """Set all distances to nothing."""
    for x in range(far.shape[1]):
        far[side, x] = 0


def _differ(place, g, c, own, step, far, side):
    """Add what a column loses where codes differ."""
    for x in range(far.shape[1]):
        far[side, x] += step if place[g, c, x] != own else 0


def _stand_apart(place, g, c, own, far, side):
    """Add the units of a range between two places, none to NULL."""
    for x in range(far.shape[1]):
        other: cython.short = place[g, c, x]
        far[side, x] += max(other, own) - min(other, own) if other >= 0 else 0


def _least(far, side):
    """Return the least distance."""
    least: cython.short = far[side, 0]
    for x in range(1, far.shape[1]):
        least = min(least, far[side, x])
    return least
