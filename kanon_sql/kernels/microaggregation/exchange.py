"""Exchange: points move to nearby classes, or swap places with theirs, as long as that saves.

References
----------
Späth: Cluster Analysis Algorithms for Data Reduction and Classification of Objects (1980), for the exchange method.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.microaggregation.groups import (
    PointPartition,
    Points,
    class_near,
    put,
    swapped,
    take,
    weigh,
    with_unit,
    without_unit,
)


def sweep(groups: PointPartition, points: Points, k: cython.longlong, least: cython.double) -> int:
    """Let each point once make the move or the swap that saves most; return how many did.

    Parameters
    ----------
    groups : PointPartition
        Changed.
    points : Points
        Which are near each other.
    k : int
        Least rows of a class.
    least : float
        What is saved at least, so that rounding moves nothing.

    Notes
    -----
    O(m s k) for each point with s near places.
    """
    seen: cython.longlong[::1] = np.full(groups.size.shape[0], -1, np.int64)
    moved = 0
    with cython.nogil:
        for i in range(groups.of.shape[0]):
            moved += _improve(groups, points, k, least, i, seen)
    return moved


def _improve(groups, points, k, least, i, seen):
    """Let point i make the best move or swap; return whether there is one."""
    a = groups.of[i]
    best: cython.double = least
    to = -1
    other = -1
    without: cython.double = without_unit(groups, a, i) if groups.size[a] > k else 0.0
    seen[a] = i
    for s in range(points.near.shape[1]):
        place = points.near[points.of[i], s]
        if place < 0:
            break
        b = class_near(groups, points, place, i + s)
        if seen[b] == i:
            continue
        seen[b] = i
        before: cython.double = groups.value[a] + groups.value[b]
        if groups.size[a] > k and groups.size[b] < groups.most[b]:
            saved: cython.double = without + with_unit(groups, b, i) - before
            if saved > best:
                best = saved
                to = b
                other = -1
        j = groups.head[b]
        while j >= 0:
            saved = swapped(groups, a, i, j) + swapped(groups, b, j, i) - before
            if saved > best:
                best = saved
                to = b
                other = j
            j = groups.after[j]
    if to < 0:
        return 0
    take(groups, i)
    put(groups, i, to)
    if other >= 0:
        take(groups, other)
        put(groups, other, a)
    weigh(groups, a)
    weigh(groups, to)
    return 1
