"""The cheapest class of each row where all masks are permitted: k rows, by the cost of the columns in which any two differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int32, zeros_int32_2d, zeros_int64, zeros_uint8, zeros_uint64
from kanon_sql.kernels.instances.bit_slices import Agreement, Values, compare, next_taken, take_nearest
from kanon_sql.kernels.instances.column_sets import count_columns, differing_columns

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
    alike : int
        What each column costs where all cost the same, else 0.
    row_type : int32 [_NEAR]
        The row types.
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

    def __init__(self, cost: NDArray[np.uint16], deepest: int) -> None:
        bits = np.arange(256) >> np.arange(8)[:, None] & 1
        padded = np.zeros((len(cost) + 7) // 8 * 8, np.int64)
        padded[: len(cost)] = cost
        self.price = np.ascontiguousarray(padded.reshape(-1, 8) @ bits)
        self.alike = int(cost[0]) if len(set(cost.tolist())) == 1 else 0
        self.row_type = zeros_int32(_NEAR)
        self.differing = zeros_uint64(_NEAR)
        self.rows = zeros_int64(_NEAR)
        self.together = np.zeros((_NEAR, _NEAR), np.uint16)
        self.kept = zeros_uint8(_NEAR)
        self.fits = zeros_int32_2d(deepest, _NEAR)
        self.size = self.tried = 0


def class_costs(
    values: Values,
    weight: cython.longlong[::1],
    cost: NDArray[np.uint16],
    k: cython.longlong,
    low: cython.longlong,
    high: cython.longlong,
) -> NDArray[np.int64]:
    """Return what a class costs each row of row types low to high - 1 at least, int64 [high - low].

    Parameters
    ----------
    values : Values
        Of the table, of at most 64 columns.
    weight : int64 array [t]
        Rows of each row type, k or more in all.
    cost : uint16 array [m]
        Of a column in which two rows differ; below 2**16 in all.
    k : int
        Rows of a class.
    low, high : int
        The requested row types.

    Notes
    -----
    A class hides every column in which any two of its rows differ. So it costs each of its rows c or less only if k rows
    are so near to each of them that together they differ in columns of cost c at most: a clique of k - 1 among the rows
    near a row. The k-th nearest row tells where to begin. Row types with too few partners leave first, then sets of them are
    tried, depth first. Where that takes too long, the cost that is proven so far stays. O(m t / 64) words for a row type, and
    O(256^2) for each cost that is tried.
    """
    answer = np.zeros(high - low, np.int64)
    found: cython.longlong[::1] = answer
    step: cython.longlong = max(1, int(np.gcd.reduce(cost)))
    near = Near(cost, k)
    agreement = Agreement(values)
    with cython.nogil:
        for i in range(low, high):
            if weight[i] < k:
                compare(values, agreement, i)
                found[i - low] = _class_cost(near, values, agreement, weight, i, k, step)
    return answer


def _class_cost(near, values, agreement, weight, i, k, step):
    """Return what a class costs each row of a row type at least."""
    rows = weight[i]
    tried = 0
    few: cython.bint = True
    some: cython.bint = True
    distance = 0
    near.size = 0
    while rows < k and few and some:
        some = take_nearest(agreement)
        distance = agreement.away
        rows, few = _gather(near, values, agreement, weight, i, rows)
    some = take_nearest(agreement)
    while few and tried < _STEPS and not _has_class(near, distance, k - weight[i]):
        distance += step
        tried += 1
        if some and agreement.away <= distance:
            rows, few = _gather(near, values, agreement, weight, i, rows)
            some = take_nearest(agreement)
    return distance


def _cost(near, columns):
    """Return what a set of columns costs."""
    total = 0
    if near.alike:
        return near.alike * count_columns(columns)
    for b in range(near.price.shape[0]):
        total += near.price[b, (columns >> (8 * b)) & 255]
    return total


def _gather(near, values, agreement, weight, i, rows):
    """Add the row types that were taken last; return the rows that are near then, and whether `Near` holds them all."""
    first = near.size
    j = next_taken(agreement, 0)
    while j >= 0:
        rows += weight[j]
        if near.size == _NEAR:
            return rows, False
        near.row_type[near.size] = j
        near.size += 1
        j = next_taken(agreement, j >> 6)
    for b in range(first, near.size):
        near.differing[b] = differing_columns(values.codes, i, near.row_type[b])
        near.rows[b] = weight[near.row_type[b]]
        for a in range(b + 1):
            both = _cost(near, near.differing[a] | near.differing[b])
            near.together[a, b] = both
            near.together[b, a] = both
    return rows, True


def _has_class(near, most, need):
    """Return whether ``need`` rows near the row might be in a class with it that costs ``most``, or nobody knows in time."""
    left = 0
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


def _may_grow(near, depth, left, columns, need, most):
    """Return whether ``need`` more rows fit a class that hides ``columns``, from ``left`` row types that each fit it alone."""
    rows = 0
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
        more: cython.ulonglong = columns | near.differing[near.fits[depth, a]]
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
