"""The nearest row types of each row type, by what a class of just the two loses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.summaries.blocks import BLOCK, GROUP, Ordered, Parts, bit_of, fill, is_far
    from cython.cimports.kanon_sql.kernels.summaries.measure import RANGE, Measure
else:
    from kanon_sql.kernels.summaries.blocks import BLOCK, GROUP, Ordered, Parts, bit_of, fill, is_far
    from kanon_sql.kernels.summaries.measure import RANGE, Measure


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    measure: Measure, rows: Ordered, p: cython.longlong, q: cython.longlong, limit: cython.longlong
) -> cython.longlong:
    """Return what a class of just two rows loses by row, or ``limit`` or more."""
    c: cython.longlong
    one: cython.longlong
    other: cython.longlong
    far: cython.longlong
    distance: cython.longlong = 0
    for c in range(measure.columns):
        one = rows.packed[p, c]
        other = rows.packed[q, c]
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
    O(t * blocks) in all, and O(m) for a row type of a block that is near enough; memory O(t m).
    """
    rows = Ordered(codes[member])
    blocks, groups = Parts(*codes.shape, BLOCK), Parts(*codes.shape, BLOCK * GROUP)
    order: cython.longlong[::1] = member
    found = np.zeros(len(codes), np.int64)
    far: cython.longlong[::1] = found
    distance: cython.longlong[::1] = np.empty(kept + 1, np.int64)
    other: cython.int[::1] = np.empty(kept + 1, np.int32)
    seen: cython.longlong[::1] = np.full(1 + int(np.max(person, initial=-1)), -1, np.int64)
    with cython.nogil:
        fill(measure, rows, blocks)
        fill(measure, rows, groups)
        _nearest(weight, person, seen, measure, rows, blocks, groups, k, order, every, reach, near, kept, distance, other, far)
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
    ordered: Ordered,
    blocks: Parts,
    groups: Parts,
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
    q: cython.longlong
    b: cython.longlong
    c: cython.longlong
    i: cython.longlong
    turn: cython.longlong
    place: cython.longlong
    many: cython.longlong
    rows: cython.longlong
    away: cython.longlong
    limit: cython.longlong
    turns: cython.longlong
    t: cython.longlong = member.shape[0]
    many_blocks: cython.longlong = blocks.has.shape[0]
    s: cython.longlong = near.shape[1]
    for p in range(t):
        for c in range(measure.columns):
            ordered.bit[c] = bit_of(ordered.packed[p, c])
        i = member[p]
        many = 0
        limit = cython.cast(cython.longlong, 1) << 62
        turns = 2 * (many_blocks if p % every == 0 else min(reach, many_blocks)) + 1
        for turn in range(turns):
            b = p // BLOCK + (-((turn + 1) // 2) if turn & 1 else turn // 2)
            if b < 0 or b >= many_blocks or is_far(measure, ordered, blocks, groups, p, b, limit):
                continue
            for q in range(b * BLOCK, min(t, (b + 1) * BLOCK)):
                away = _distance(measure, ordered, p, q, limit)
                if q == p or away >= limit:
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
