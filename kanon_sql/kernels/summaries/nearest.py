"""The nearest row types of each row type, by what a class of just the two loses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.summaries.measure import RANGE, Measure
else:
    from kanon_sql.kernels.summaries.measure import RANGE, Measure

if not cython.compiled:  # compiled, it comes from the .pxd
    BLOCK = 16
"""Row types that are passed over together where they are all too far."""


@cython.final
@cython.cclass
class _Blocks:
    """The row types in their order, and what those of each block have in each column.

    Parameters
    ----------
    packed : int32 array [t, m]
        The row types.

    Attributes
    ----------
    has : uint64 array [blocks, m]
        Bits of their codes modulo 64.
    low, high : int64 arrays [blocks, m]
        The range of those not NULL; ``high`` is -1 if there is none.
    bit, null_bit : uint64 arrays [m]
        The bit of the code of the row type at hand, and that of NULL.
    """

    packed: cython.int[:, ::1]
    blocks: cython.longlong
    has: cython.ulonglong[:, ::1]
    low: cython.longlong[:, ::1]
    high: cython.longlong[:, ::1]
    bit: cython.ulonglong[::1]
    null_bit: cython.ulonglong[::1]

    def __init__(self, packed: NDArray[np.int32]) -> None:
        t, m = packed.shape
        self.packed = packed
        self.blocks = (t + BLOCK - 1) // BLOCK
        self.has = np.zeros((self.blocks, m), np.uint64)
        self.low, self.high = np.full((self.blocks, m), 1 << 40, np.int64), np.full((self.blocks, m), -1, np.int64)
        self.bit, self.null_bit = np.zeros(m, np.uint64), np.zeros(m, np.uint64)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bit(code: cython.longlong) -> cython.ulonglong:
    return cython.cast(cython.ulonglong, 1) << cython.cast(cython.longlong, code & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(measure: Measure, blocks: _Blocks) -> cython.void:
    p: cython.longlong
    b: cython.longlong
    c: cython.longlong
    code: cython.longlong
    for c in range(measure.columns):
        blocks.null_bit[c] = _bit(measure.null[c])
    for p in range(blocks.packed.shape[0]):
        b = p // BLOCK
        for c in range(measure.columns):
            code = blocks.packed[p, c]
            blocks.has[b, c] |= _bit(code)
            if code != measure.null[c]:
                blocks.low[b, c] = min(blocks.low[b, c], code)
                blocks.high[b, c] = max(blocks.high[b, c], code)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _block_distance(
    measure: Measure, blocks: _Blocks, p: cython.longlong, b: cython.longlong, limit: cython.longlong
) -> cython.longlong:
    """Return a lower bound on the distances from row type p to those of a block, or ``limit`` or more."""
    c: cython.longlong
    code: cython.longlong
    far: cython.longlong
    distance: cython.longlong = 0
    for c in range(measure.columns):
        if blocks.has[b, c] & blocks.bit[c] == 0:
            code = blocks.packed[p, c]
            far = 1
            if (
                measure.kind[c] == RANGE
                and code != measure.null[c]
                and blocks.high[b, c] >= 0
                and (measure.null[c] < 0 or blocks.has[b, c] & blocks.null_bit[c] == 0)
            ):
                far = max(blocks.low[b, c] - code, code - blocks.high[b, c], far)
            distance += far * measure.step[c]
            if distance >= limit:
                break
    return distance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    measure: Measure, blocks: _Blocks, p: cython.longlong, q: cython.longlong, limit: cython.longlong
) -> cython.longlong:
    """Return what a class of just two rows loses by row, or ``limit`` or more."""
    c: cython.longlong
    one: cython.longlong
    other: cython.longlong
    far: cython.longlong
    distance: cython.longlong = 0
    for c in range(measure.columns):
        one = blocks.packed[p, c]
        other = blocks.packed[q, c]
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
    reach: cython.longlong,
    near: cython.int[:, ::1],
    kept: cython.longlong,
    person: cython.int[::1],
) -> NDArray[np.int64]:
    """List the nearest row types of each, and return how far its k-th nearest row is at least, itself the first, int64 [t].

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
    reach : int
        Blocks of the order looked at on each side; the distances are true only if that is all of them.
    near : int32 array [t, s]
        Filled with the nearest row types, the nearest first, -1 where there are no more.
    kept : int
        Row types whose distances are kept while looking, at least s; the distance is that of the last if they have no k rows.
    person : int32 array [t] or [0]
        Where people are counted, not rows, whose rows each row type has; nobody is -1.

    Notes
    -----
    O(t * blocks) in all, and O(m) for a row type of a block that is near enough; memory O(t m).
    """
    blocks = _Blocks(codes[member])
    order: cython.longlong[::1] = member
    found = np.zeros(len(codes), np.int64)
    far: cython.longlong[::1] = found
    distance: cython.longlong[::1] = np.empty(kept + 1, np.int64)
    other: cython.int[::1] = np.empty(kept + 1, np.int32)
    seen: cython.longlong[::1] = np.full(1 + int(np.max(person, initial=-1)), -1, np.int64)
    with cython.nogil:
        _fill(measure, blocks)
        _nearest(weight, person, seen, measure, blocks, k, order, reach, near, kept, distance, other, far)
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
    blocks: _Blocks,
    k: cython.longlong,
    member: cython.longlong[::1],
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
    t: cython.longlong = member.shape[0]
    s: cython.longlong = near.shape[1]
    for p in range(t):
        for c in range(measure.columns):
            blocks.bit[c] = _bit(blocks.packed[p, c])
        i = member[p]
        many = 0
        limit = cython.cast(cython.longlong, 1) << 62
        for turn in range(2 * reach + 1):
            b = p // BLOCK + (-((turn + 1) // 2) if turn & 1 else turn // 2)
            if b < 0 or b >= blocks.blocks or _block_distance(measure, blocks, p, b, limit) >= limit:
                continue
            for q in range(b * BLOCK, min(t, (b + 1) * BLOCK)):
                away = _distance(measure, blocks, p, q, limit)
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
        rows = _added(weight, person, seen, i, i)
        place = 0
        while rows < k and place < many:
            found[i] = distance[place]
            rows += _added(weight, person, seen, other[place], i)
            place += 1
