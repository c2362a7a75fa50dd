"""The nearest row types of each row type, by what a class of just the two loses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64
from kanon_sql.kernels.summaries.blocks import BLOCK, GROUP, RowTypeGroups, is_far, units
from kanon_sql.kernels.summaries.cheapest import ClassSearch, cheapest
from kanon_sql.kernels.summaries.measure import RANGE, Measure

_PART = cython.declare(cython.longlong, GROUP // BLOCK)
"""Blocks of a group."""


_NEVER = cython.declare(cython.longlong, 1 << 62)
"""More than any loss."""


@cython.final
@cython.cclass
class Closest:
    """The row types nearest to one, as far as they are found, the nearest first.

    Parameters
    ----------
    most : int
        How many are kept.

    Attributes
    ----------
    many : int
        How many there are.
    row_type, distance : int32, int64 arrays [most + 1]
        They, and what a class of the two loses by row.
    limit, units : int
        How far no further one may be, and that in units.
    """

    def __init__(self, most: int) -> None:
        self.most, self.many, self.limit, self.units = most, 0, 0, 0
        self.row_type, self.distance = empty_int32(most + 1), empty_int64(most + 1)


def _distance(measure, groups, p, q, limit):
    """Return what a class of just two rows loses by row, or ``limit`` or more."""
    distance = 0
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
    steps: cython.longlong = 0,
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
    steps : int
        Where rows are counted: steps of a search for the cheapest class with each row type. What a row loses in that class is
        returned if the search ends, else the distance.

    Notes
    -----
    O(m) for a group of row types that is far in few columns, else O(m) for 8 of its row types at once; memory O(t m).
    """
    groups = RowTypeGroups(codes[member], measure)
    order: cython.longlong[::1] = member
    found = np.zeros(len(codes), np.int64)
    far: cython.longlong[::1] = found
    closest: Closest = Closest(kept)
    seen: cython.longlong[::1] = np.full(1 + int(np.max(person, initial=-1)), -1, np.int64)
    search = ClassSearch(codes, np.asarray(weight), measure, k, kept, steps)
    with cython.nogil:
        _nearest(weight, person, seen, measure, groups, k, order, every, reach, near, closest, far, search)
    return found


def _added(weight, person, seen, r, turn):
    """Return how many rows, or people who were not seen in this turn, a row type adds."""
    if person.shape[0] == 0:
        return weight[r]
    if person[r] < 0 or seen[person[r]] == turn:
        return 0
    seen[person[r]] = turn
    return 1


def _nearest(weight, person, seen, measure, groups, k, member, every, reach, near, closest, found, search):
    s = near.shape[1]
    for p in range(member.shape[0]):
        i = member[p]
        _find_nearest(measure, groups, p, member, reach if p % every else member.shape[0], closest)
        for place in range(s):
            near[i, place] = closest.row_type[place] if place < closest.many else -1
        if p % every != 0:
            continue
        rows = _added(weight, person, seen, i, i)
        place = 0
        while rows < k and place < closest.many:
            found[i] = closest.distance[place]
            rows += _added(weight, person, seen, closest.row_type[place], i)
            place += 1
        if search.most and found[i] > 0:
            found[i] = max(found[i], _cheapest(search, i, closest))


def _cheapest(search, i, closest):
    """Return what a row loses at least in a class with row type i: of fewer row types where the search of more does not end."""
    many = closest.many
    limit = min(closest.limit, _NEVER)
    while many > 0:
        loss = cheapest(search, i, closest.row_type, many, limit)
        if loss >= 0:
            return loss if loss < _NEVER else 0
        many //= 2
        limit = closest.distance[many]
    return 0


def _find_nearest(measure, groups, p, member, reach, closest):
    """Find the nearest row types in blocks up to ``reach`` away from that of row type p.

    Blocks are visited in turns before and after its own; whole groups that are far are passed over.
    """
    own = p // BLOCK
    blocks = (member.shape[0] + BLOCK - 1) // BLOCK
    left = 1
    right = 0
    _clear(closest, groups)
    while left <= reach or right <= reach:
        side = 1 if left > right else 0
        b = own + right if side else own - left
        passed = 1
        if b < 0 or b >= blocks:
            passed = reach + blocks
        else:
            remaining = _remaining(b, side)
            if (remaining == _PART or b == own or b == own - 1) and is_far(measure, groups, p, b // _PART, side, closest.limit):
                passed = remaining
            else:
                _compare_block(measure, groups, p, member, b, side, closest)
        if side:
            right += passed
        else:
            left += passed


def _remaining(b, side):
    """Return how many blocks of its group come from block b on, going right or left."""
    return _PART - b % _PART if side else b % _PART + 1


def _compare_block(measure, groups, p, member, b, side, closest):
    """Keep the row types of block b that are near row type p; `is_far` has computed how far its group is in units."""
    first = b // _PART * GROUP
    for q in range(b * BLOCK, min((b + 1) * BLOCK, member.shape[0])):
        if groups.far[side, q - first] >= closest.units or q == p:
            continue
        distance = _distance(measure, groups, p, q, closest.limit)
        if distance < closest.limit:
            _keep(closest, groups, member[q], distance)


def _clear(closest, groups):
    """Forget the row types that were found."""
    closest.many = 0
    closest.limit = cython.cast(cython.longlong, 1) << 62
    closest.units = units(groups, closest.limit)


def _keep(closest, groups, i, distance):
    """Insert a row type at its distance, after those that are as far; the last one gives way if there is no space."""
    place = closest.many
    while place > 0 and closest.distance[place - 1] > distance:
        closest.distance[place] = closest.distance[place - 1]
        closest.row_type[place] = closest.row_type[place - 1]
        place -= 1
    closest.distance[place] = distance
    closest.row_type[place] = i
    closest.many = min(closest.many + 1, closest.most)
    if closest.many == closest.most:
        closest.limit = closest.distance[closest.most - 1]
        closest.units = units(groups, closest.limit)
