"""The k-th nearest row of each row, by the cost of the columns in which they differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

_BLOCK = cython.declare(cython.longlong, 4096)
"""Row types that are compared at a time: they stay in the cache, and the loop over them is vectorized."""


def distances(
    codes: cython.ushort[:, ::1],
    weight: cython.longlong[::1],
    cost: cython.ushort[::1],
    k: cython.longlong,
    low: cython.longlong,
    high: cython.longlong,
) -> NDArray[np.int64]:
    """Return how far the k-th nearest row of a row is away, itself the first, int64 [high - low].

    Parameters
    ----------
    codes : uint16 array [m, t]
        The row types, column by column.
    weight : int64 array [t]
        Rows of each row type, t k or more in all.
    cost : uint16 array [m]
        Of a column in which two rows differ; below 2**16 in all.
    k : int
        Number of rows.
    low, high : int
        The row types that are asked for.

    Notes
    -----
    O(m t) for a row type, vectorized; memory O(k).
    """
    i: cython.longlong
    first: cython.longlong
    kept: cython.longlong
    answer = np.zeros(high - low, np.int64)
    found: cython.longlong[::1] = answer
    near: cython.longlong[::1] = np.empty(k, np.int64)
    rows: cython.longlong[::1] = np.empty(k, np.int64)
    away: cython.ushort[::1] = np.empty(_BLOCK, np.uint16)
    with cython.nogil:
        for i in range(low, high):
            kept = 0
            first = 0
            while first < codes.shape[1]:
                compare(codes, cost, i, first, min(_BLOCK, codes.shape[1] - first), away)
                kept = _select(away, weight, k, first, near, rows, kept)
                first += _BLOCK
            found[i - low] = near[kept - 1]
    return answer


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.overflowcheck(False)
def compare(
    codes: cython.ushort[:, ::1],
    cost: cython.ushort[::1],
    i: cython.longlong,
    first: cython.longlong,
    size: cython.longlong,
    away: cython.ushort[::1],
) -> cython.void:
    """Write how far ``size`` row types from ``first`` on are from row type i."""
    a: cython.longlong
    c: cython.longlong
    own: cython.ushort
    price: cython.ushort
    for a in range(size):
        away[a] = 0
    for c in range(codes.shape[0]):
        own = codes[c, i]
        price = cost[c]
        for a in range(size):
            away[a] += price if codes[c, first + a] != own else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _select(
    away: cython.ushort[::1],
    weight: cython.longlong[::1],
    k: cython.longlong,
    first: cython.longlong,
    near: cython.longlong[::1],
    rows: cython.longlong[::1],
    kept: cython.longlong,
) -> cython.longlong:
    """Keep in ``near`` and ``rows`` the nearest row types so far, ascending, as many as make k rows; return how many."""
    a: cython.longlong
    b: cython.longlong
    place: cython.longlong
    total: cython.longlong = 0
    furthest: cython.longlong = 1 << 16
    for a in range(kept):
        total += rows[a]
    if total >= k:
        furthest = near[kept - 1]
    for a in range(min(_BLOCK, weight.shape[0] - first)):
        if away[a] >= furthest:
            continue
        place = kept
        while place > 0 and near[place - 1] > away[a]:
            place -= 1
        for b in range(min(kept, k - 1), place, -1):
            near[b] = near[b - 1]
            rows[b] = rows[b - 1]
        near[place] = away[a]
        rows[place] = weight[first + a]
        kept = min(kept + 1, k)
        total = 0
        b = 0
        while b < kept and total < k:
            total += rows[b]
            b += 1
        kept = b
        if total >= k:
            furthest = near[kept - 1]
    return kept
