"""The k-th nearest row of each row, by the cost of the columns in which they differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython


def distances(
    codes: cython.int[:, ::1],
    weight: cython.longlong[::1],
    cost: cython.longlong[::1],
    k: cython.longlong,
    most: cython.longlong,
) -> NDArray[np.int64]:
    """Return how far the k-th nearest row of a row is away, itself the first, int64 [t]; 0 from row type ``most`` on.

    Notes
    -----
    O(m t) for a row type, less where the k rows are found early; memory O(k).
    """
    i: cython.longlong
    answer = np.zeros(codes.shape[0], np.int64)
    found: cython.longlong[::1] = answer
    near: cython.longlong[::1] = np.empty(k, np.int64)
    rows: cython.longlong[::1] = np.empty(k, np.int64)
    with cython.nogil:
        for i in range(most):
            found[i] = _distance(codes, weight, cost, k, i, near, rows)
    return answer


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    codes: cython.int[:, ::1],
    weight: cython.longlong[::1],
    cost: cython.longlong[::1],
    k: cython.longlong,
    i: cython.longlong,
    near: cython.longlong[::1],
    rows: cython.longlong[::1],
) -> cython.longlong:
    """Return how far the k-th nearest row of a row type is away.

    ``near`` and ``rows`` [k] hold the nearest row types in ascending order, as many of them as make k rows.
    """
    c: cython.longlong
    a: cython.longlong
    other: cython.longlong
    place: cython.longlong
    total: cython.longlong
    distance: cython.longlong
    kept: cython.longlong = 0
    furthest: cython.longlong = cython.cast(cython.longlong, 1) << 62
    for other in range(codes.shape[0]):
        distance = 0
        for c in range(codes.shape[1]):
            if codes[i, c] != codes[other, c]:
                distance += cost[c]
                if distance >= furthest:
                    break
        if distance >= furthest:
            continue
        place = kept
        while place > 0 and near[place - 1] > distance:
            place -= 1
        for a in range(min(kept, k - 1), place, -1):
            near[a] = near[a - 1]
            rows[a] = rows[a - 1]
        near[place] = distance
        rows[place] = weight[other]
        kept = min(kept + 1, k)
        total = 0
        a = 0
        while a < kept and total < k:
            total += rows[a]
            a += 1
        kept = a
        if total >= k:
            furthest = near[kept - 1]
    return near[kept - 1]
