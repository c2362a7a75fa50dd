"""The nearest row types of each row type, by what a class of just the two loses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.summaries.blocks import BLOCK, GROUP, RowTypeGroups, is_far, units
    from cython.cimports.kanon_sql.kernels.summaries.measure import RANGE, Measure
else:
    from kanon_sql.kernels.summaries.blocks import BLOCK, GROUP, RowTypeGroups, is_far, units
    from kanon_sql.kernels.summaries.measure import RANGE, Measure


_PART = cython.declare(cython.longlong, GROUP // BLOCK)
"""Blocks of a group."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    measure: Measure, groups: RowTypeGroups, p: cython.longlong, q: cython.longlong, limit: cython.longlong
) -> cython.longlong:
    """Return what a class of just two rows loses by row, or ``limit`` or more."""
    c: cython.longlong
    one: cython.longlong
    other: cython.longlong
    far: cython.longlong
    distance: cython.longlong = 0
    for c in range(measure.columns):
        one = groups.packed[p, c]
        other = groups.packed[q, c]
        if one != other:
            far = 1
            if measure.kind[c] == RANGE and one != measure.null[c] and other != measure.null[c]:
                far = max(one - other, other - one)
            distance += far * measure.step[c]
            if distance >= limit:
                break
    return distance


def nearest(
    codes: NDArray[np.int32],
    weight: cython.longlong[::1],
    measure: Measure,
    k: cython.longlong,
    member: NDArray[np.int64],
    every: cython.longlong,
    reach: cython.longlong,
    near: cython.int[:, ::1],
    kept: cython.longlong,
    person: cython.int[::1],
) -> NDArray[np.int64]:
    """List near row types of each, and return how far its k-th nearest row is at least, itself the first, int64 [t].

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    weight : int64 array [t]
        Rows of each row type.
    measure : Measure
        How loss is counted.
    k : int
        Which row's distance is returned.
    member : int64 array [t]
        The row types in an order that has similar ones near each other.
    every : int
        One row type in so many is compared with all; what is returned of the others is 0.
    reach : int
        Blocks of the order that the others are compared with on each side.
    near : int32 array [t, s]
        Filled with the nearest row types found, the nearest first, -1 where there are no more.
    kept : int
        Row types whose distances are kept while looking, at least s; the distance is that of the last if they have no k rows.
    person : int32 array [t] or [0]
        Where people are counted, not rows, whose rows each row type has; nobody is -1.

    Notes
    -----
    O(m) for a group of row types that is far in few columns, else O(m) for 8 of its row types at once; memory O(t m).
    """
    groups = RowTypeGroups(codes[member], measure)
    order: cython.longlong[::1] = member
    found = np.zeros(len(codes), np.int64)
    far: cython.longlong[::1] = found
    distance: cython.longlong[::1] = np.empty(kept + 1, np.int64)
    other: cython.int[::1] = np.empty(kept + 1, np.int32)
    seen: cython.longlong[::1] = np.full(1 + int(np.max(person, initial=-1)), -1, np.int64)
    with cython.nogil:
        _nearest(weight, person, seen, measure, groups, k, order, every, reach, near, kept, distance, other, far)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _added(
    weight: cython.longlong[::1],
    person: cython.int[::1],
    seen: cython.longlong[::1],
    r: cython.longlong,
    turn: cython.longlong,
) -> cython.longlong:
    """Return how many rows, or people who were not seen in this turn, a row type adds."""
    if person.shape[0] == 0:
        return weight[r]
    if person[r] < 0 or seen[person[r]] == turn:
        return 0
    seen[person[r]] = turn
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _nearest(
    weight: cython.longlong[::1],
    person: cython.int[::1],
    seen: cython.longlong[::1],
    measure: Measure,
    groups: RowTypeGroups,
    k: cython.longlong,
    member: cython.longlong[::1],
    every: cython.longlong,
    reach: cython.longlong,
    near: cython.int[:, ::1],
    kept: cython.longlong,
    distance: cython.longlong[::1],
    other: cython.int[::1],
    found: cython.longlong[::1],
) -> cython.void:
    p: cython.longlong
    i: cython.longlong
    place: cython.longlong
    many: cython.longlong
    rows: cython.longlong
    s: cython.longlong = near.shape[1]
    for p in range(member.shape[0]):
        i = member[p]
        many = _look(measure, groups, p, member, reach if p % every else member.shape[0], kept, distance, other)
        for place in range(s):
            near[i, place] = other[place] if place < many else -1
        if p % every != 0:
            continue
        rows = _added(weight, person, seen, i, i)
        place = 0
        while rows < k and place < many:
            found[i] = distance[place]
            rows += _added(weight, person, seen, other[place], i)
            place += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look(
    measure: Measure,
    groups: RowTypeGroups,
    p: cython.longlong,
    member: cython.longlong[::1],
    reach: cython.longlong,
    kept: cython.longlong,
    distance: cython.longlong[::1],
    other: cython.int[::1],
) -> cython.longlong:
    """Keep the nearest row types in blocks up to ``reach`` away from that of row type p, nearest first; return how many.

    Of those as far, the ones nearer in the order come first.
    """
    x: cython.longlong
    b: cython.longlong
    first: cython.longlong
    q: cython.longlong
    side: cython.longlong
    away: cython.longlong
    place: cython.longlong
    begins: cython.bint
    own: cython.longlong = p // BLOCK
    blocks: cython.longlong = (member.shape[0] + BLOCK - 1) // BLOCK
    left: cython.longlong = 1
    right: cython.longlong = 0
    many: cython.longlong = 0
    limit: cython.longlong = cython.cast(cython.longlong, 1) << 62
    most: cython.longlong = units(groups, limit)
    while left <= reach or right <= reach:
        side = 1 if left > right else 0
        b = own + right if side else own - left
        if b < 0 or b >= blocks:
            left = left if side else reach + blocks
            right = reach + blocks if side else right
            continue
        first = b // _PART * _PART
        begins = right == 0 or b == first if side else left == 1 or b == first + _PART - 1
        if begins and is_far(measure, groups, p, b // _PART, side, limit):
            left += 0 if side else b - first + 1
            right += first + _PART - b if side else 0
            continue
        left += 1 - side
        right += side
        for x in range((b - first) * BLOCK, (b - first + 1) * BLOCK):
            q = first * BLOCK + x
            if groups.far[side, x] >= most or q == p or q >= member.shape[0]:
                continue
            away = _distance(measure, groups, p, q, limit)
            if away >= limit:
                continue
            place = many
            while place > 0 and distance[place - 1] > away:
                distance[place] = distance[place - 1]
                other[place] = other[place - 1]
                place -= 1
            distance[place] = away
            other[place] = member[q]
            many = min(many + 1, kept)
            if many == kept:
                limit = distance[kept - 1]
                most = units(groups, limit)
    return many
