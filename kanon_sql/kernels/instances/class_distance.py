"""The cheapest class of each row where all masks are permitted: k rows, by the cost of the columns in which any two differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.instances.row_distance import compare
else:
    from kanon_sql.kernels.instances.row_distance import compare

_NEAR = cython.declare(cython.longlong, 256)
"""Row types near a row that are looked at; beyond them the distance that is proven so far stays."""

_STEPS = cython.declare(cython.longlong, 64)
"""Costs that are tried for a row, and _TRIED: sets of rows that are tried for a cost; then what is proven stays as well."""

_TRIED = cython.declare(cython.longlong, 2_000)


@cython.final
@cython.cclass
class Near:
    """The row types around a row: how far each is away, and the columns in which it differs.

    Attributes
    ----------
    price : int64 [b, 256]
        Cost of each set of eight columns, by their bits.
    differing : uint64 [_NEAR]
        Columns in which a row type differs from the row.
    rows : int64 [_NEAR]
        Rows of each row type.
    together : uint16 [_NEAR, _NEAR]
        What the columns cost in which two row types or the row differ.
    kept : uint8 [_NEAR]
        Whether a row type may still be in a class with the row.
    fits : int32 [d, _NEAR]
        Row types that fit the class so far, for each of its row types.
    size, tried : int
        Row types that are near; sets that were tried.
    """

    price: cython.longlong[:, ::1]
    differing: cython.ulonglong[::1]
    rows: cython.longlong[::1]
    together: cython.ushort[:, ::1]
    kept: cython.uchar[::1]
    fits: cython.int[:, ::1]
    size: cython.longlong
    tried: cython.longlong

    def __init__(self, cost: NDArray[np.uint16], deepest: int) -> None:
        bits = np.arange(256) >> np.arange(8)[:, None] & 1
        padded = np.zeros((len(cost) + 7) // 8 * 8, np.int64)
        padded[: len(cost)] = cost
        self.price = np.ascontiguousarray(padded.reshape(-1, 8) @ bits)
        self.differing = np.zeros(_NEAR, np.uint64)
        self.rows = np.zeros(_NEAR, np.int64)
        self.together = np.zeros((_NEAR, _NEAR), np.uint16)
        self.kept = np.zeros(_NEAR, np.uint8)
        self.fits = np.zeros((deepest, _NEAR), np.int32)
        self.size = self.tried = 0


def raise_to_classes(
    codes: cython.ushort[:, ::1],
    weight: cython.longlong[::1],
    cost: NDArray[np.uint16],
    k: cython.longlong,
    low: cython.longlong,
    distance: cython.longlong[::1],
) -> None:
    """Raise the distance of the k-th nearest row of each row to what a class costs the row at least.

    Parameters
    ----------
    codes : uint16 array [m, t]
        The row types, column by column; at most 64 columns.
    weight : int64 array [t]
        Rows of each row type.
    cost : uint16 array [m]
        Of a column in which two rows differ; below 2**16 in all.
    k : int
        Rows of a class.
    low : int
        The first row type that is asked for.
    distance : int64 array [s]
        Of the k-th nearest row of row types low, low + 1, ...; changed in place.

    Notes
    -----
    A class hides every column in which any two of its rows differ. So it costs each of its rows c or less only if k rows
    are so near to each of them that together they differ in columns of cost c at most: a clique of k - 1 among the rows
    near a row. Row types with too few partners leave first, then sets of them are tried, depth first. Where that takes too
    long, the cost that is proven so far stays. O(m t) for a row type, and O(256^2) for each cost that is tried.
    """
    i: cython.longlong
    place: cython.longlong
    tried: cython.longlong
    within: cython.longlong
    step: cython.longlong = max(1, int(np.gcd.reduce(cost)))
    near = Near(cost, k)
    single: cython.ushort[::1] = cost
    away: cython.ushort[::1] = np.empty(codes.shape[1], np.uint16)
    with cython.nogil:
        for place in range(distance.shape[0]):
            i = low + place
            if weight[i] >= k:
                continue
            compare(codes, single, i, 0, codes.shape[1], away)
            near.size = 0
            tried = 0
            within = -1
            while tried < _STEPS and _gather(near, codes, weight, i, away, within, distance[place]):
                if _has_class(near, distance[place], k - weight[i]):
                    break
                within = distance[place]
                distance[place] += step
                tried += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cost(near: Near, columns: cython.ulonglong) -> cython.longlong:
    b: cython.longlong
    total: cython.longlong = 0
    for b in range(near.price.shape[0]):
        total += near.price[b, (columns >> (8 * b)) & 255]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _difference(codes: cython.ushort[:, ::1], i: cython.longlong, j: cython.longlong) -> cython.ulonglong:
    c: cython.longlong
    one: cython.ulonglong = 1
    columns: cython.ulonglong = 0
    for c in range(codes.shape[0]):
        if codes[c, i] != codes[c, j]:
            columns |= one << c
    return columns


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gather(
    near: Near,
    codes: cython.ushort[:, ::1],
    weight: cython.longlong[::1],
    i: cython.longlong,
    away: cython.ushort[::1],
    within: cython.longlong,
    most: cython.longlong,
) -> cython.bint:
    """Add the row types that are further away than ``within``, but not than ``most``; return whether all are few enough."""
    j: cython.longlong
    a: cython.longlong
    both: cython.ushort
    for j in range(codes.shape[1]):
        if within < away[j] <= most and j != i:
            if near.size == _NEAR:
                return False
            near.differing[near.size] = _difference(codes, i, j)
            near.rows[near.size] = weight[j]
            for a in range(near.size + 1):
                both = cython.cast(cython.ushort, _cost(near, near.differing[a] | near.differing[near.size]))
                near.together[a, near.size] = both
                near.together[near.size, a] = both
            near.size += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_class(near: Near, most: cython.longlong, need: cython.longlong) -> cython.bint:
    """Return whether ``need`` rows near the row might be in a class with it that costs ``most``, or nobody knows in time."""
    a: cython.longlong
    b: cython.longlong
    rows: cython.longlong
    left: cython.longlong = 0
    changed: cython.bint = True
    for a in range(near.size):
        near.kept[a] = 1
    while changed:
        changed = False
        for a in range(near.size):
            if not near.kept[a]:
                continue
            rows = 0
            for b in range(near.size):
                if near.kept[b] and near.together[a, b] <= most:
                    rows += near.rows[b]
                    if rows >= need:
                        break
            if rows < need:
                near.kept[a] = 0
                changed = True
    for a in range(near.size):
        if near.kept[a]:
            near.fits[0, left] = a
            left += 1
    near.tried = 0
    return _may_grow(near, 0, left, 0, need, most)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_grow(
    near: Near,
    depth: cython.longlong,
    left: cython.longlong,
    columns: cython.ulonglong,
    need: cython.longlong,
    most: cython.longlong,
) -> cython.bint:
    """Return whether ``need`` more rows fit a class that hides ``columns``, from ``left`` row types that each fit it alone."""
    a: cython.longlong
    b: cython.longlong
    more: cython.ulonglong
    fitting: cython.longlong
    rows: cython.longlong = 0
    if need <= 0:
        return True
    near.tried += 1
    if near.tried > _TRIED:
        return True
    for a in range(left):
        rows += near.rows[near.fits[depth, a]]
    for a in range(left):
        if rows < need:
            return False
        more = columns | near.differing[near.fits[depth, a]]
        rows -= near.rows[near.fits[depth, a]]
        if need <= near.rows[near.fits[depth, a]]:
            return True
        fitting = 0
        for b in range(a + 1, left):
            if (
                near.together[near.fits[depth, a], near.fits[depth, b]] <= most
                and _cost(near, more | near.differing[near.fits[depth, b]]) <= most
            ):
                near.fits[depth + 1, fitting] = near.fits[depth, b]
                fitting += 1
        if _may_grow(near, depth + 1, fitting, more, need - near.rows[near.fits[depth, a]], most):
            return True
    return False
