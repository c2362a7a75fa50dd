"""Row types in an order that has similar ones near each other: what those of a block are passed over by."""

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

if not cython.compiled:  # compiled, they come from the .pxd
    BLOCK, GROUP = 16, 16
"""Row types of a block, and blocks that are passed over together."""


@cython.final
@cython.cclass
class Parts:
    """What the row types of each part of their order have in each column.

    Attributes
    ----------
    size : int
        Row types of a part.
    has : uint64 array [parts, m]
        Bits of their codes modulo 64.
    low, high : int64 arrays [parts, m]
        The range of those not NULL; ``high`` is -1 if there is none.
    """

    size: cython.longlong
    has: cython.ulonglong[:, ::1]
    low: cython.longlong[:, ::1]
    high: cython.longlong[:, ::1]

    def __init__(self, row_types: int, columns: int, size: int) -> None:
        parts = (row_types + size - 1) // size
        self.size = size
        self.has = np.zeros((parts, columns), np.uint64)
        self.low, self.high = np.full((parts, columns), 1 << 40, np.int64), np.full((parts, columns), -1, np.int64)


@cython.final
@cython.cclass
class Ordered:
    """The row types in their order, and the one at hand.

    Parameters
    ----------
    packed : int32 array [t, m]
        The row types.

    Attributes
    ----------
    bit, null_bit : uint64 arrays [m]
        The bit of the code of the row type at hand, and that of NULL.
    group_of, group_distance : int64 arrays [groups]
        The row type for which a group of blocks was looked at last, and how far it is at least.
    """

    packed: cython.int[:, ::1]
    bit: cython.ulonglong[::1]
    null_bit: cython.ulonglong[::1]
    group_of: cython.longlong[::1]
    group_distance: cython.longlong[::1]

    def __init__(self, packed: NDArray[np.int32]) -> None:
        t, m = packed.shape
        groups = (t + BLOCK * GROUP - 1) // (BLOCK * GROUP)
        self.packed = packed
        self.bit, self.null_bit = np.zeros(m, np.uint64), np.zeros(m, np.uint64)
        self.group_of, self.group_distance = np.full(groups, -1, np.int64), np.zeros(groups, np.int64)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bit_of(code: cython.longlong) -> cython.ulonglong:
    """Return the bit of a code modulo 64."""
    return cython.cast(cython.ulonglong, 1) << cython.cast(cython.longlong, code & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill(measure: Measure, rows: Ordered, parts: Parts) -> cython.void:
    """Note what the row types of each part have."""
    p: cython.longlong
    b: cython.longlong
    c: cython.longlong
    code: cython.longlong
    for c in range(measure.columns):
        rows.null_bit[c] = bit_of(measure.null[c])
    for p in range(rows.packed.shape[0]):
        b = p // parts.size
        for c in range(measure.columns):
            code = rows.packed[p, c]
            parts.has[b, c] |= bit_of(code)
            if code != measure.null[c]:
                parts.low[b, c] = min(parts.low[b, c], code)
                parts.high[b, c] = max(parts.high[b, c], code)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part_distance(
    measure: Measure, rows: Ordered, parts: Parts, p: cython.longlong, b: cython.longlong, limit: cython.longlong
) -> cython.longlong:
    """Return a lower bound on the distances from row type p to those of a part, or ``limit`` or more."""
    c: cython.longlong
    code: cython.longlong
    far: cython.longlong
    distance: cython.longlong = 0
    for c in range(measure.columns):
        if parts.has[b, c] & rows.bit[c] == 0:
            code = rows.packed[p, c]
            far = 1
            if (
                measure.kind[c] == RANGE
                and code != measure.null[c]
                and parts.high[b, c] >= 0
                and (measure.null[c] < 0 or parts.has[b, c] & rows.null_bit[c] == 0)
            ):
                far = max(parts.low[b, c] - code, code - parts.high[b, c], far)
            distance += far * measure.step[c]
            if distance >= limit:
                break
    return distance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_far(
    measure: Measure,
    rows: Ordered,
    blocks: Parts,
    groups: Parts,
    p: cython.longlong,
    b: cython.longlong,
    limit: cython.longlong,
) -> cython.bint:
    """Return whether all row types of a block are too far from row type p."""
    g: cython.longlong = b // GROUP
    if rows.group_of[g] != p:
        rows.group_of[g] = p
        rows.group_distance[g] = _part_distance(measure, rows, groups, p, g, limit)
    return rows.group_distance[g] >= limit or _part_distance(measure, rows, blocks, p, b, limit) >= limit
