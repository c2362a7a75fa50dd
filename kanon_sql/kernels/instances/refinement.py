"""Classes split by one more column, where only those with enough rows are kept: a small class stays small."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


def refine(
    codes: NDArray[np.int32],
    values: int,
    weight: NDArray[np.int64],
    k: int,
    member: NDArray[np.int32],
    start: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Divide classes by the codes of a column; return those of k rows or more.

    Parameters
    ----------
    codes : int32 array [t]
        The column, codes from 0 to before ``values``.
    weight : int64 array [t]
        Rows of each row type.
    member : int32 array [q]
        The row types of the classes, class after class.
    start : int64 array [c + 1]
        Where each class begins.

    Returns
    -------
    member, start : int32, int64 arrays
        The new classes, in the same form.
    rows : int64 array
        Rows of each new class.

    Notes
    -----
    O(q + values) time and memory.
    """
    found, begin, rows = np.empty(len(member), np.int32), np.zeros(len(member) + 1, np.int64), np.empty(len(member), np.int64)
    total, place, here = np.empty(values, np.int64), np.zeros(values, np.int64), np.empty(values, np.int64)
    classes = _refine_all(codes, weight, k, member, start, total, place, here, found, begin, rows)
    return found[: begin[classes]], begin[: classes + 1], rows[:classes]


def _refine_all(
    codes: cython.int[::1],
    weight: cython.longlong[::1],
    k: cython.longlong,
    member: cython.int[::1],
    start: cython.longlong[::1],
    total: cython.longlong[::1],
    place: cython.longlong[::1],
    here: cython.longlong[::1],
    found: cython.int[::1],
    begin: cython.longlong[::1],
    rows: cython.longlong[::1],
) -> int:
    """Fill ``found``, ``begin`` and ``rows``; return how many classes are new; the arrays [values] are scratch, ``place`` 0."""
    classes = 0
    with cython.nogil:
        for number in range(start.shape[0] - 1):
            classes = _refine(
                codes, weight, k, member, start[number], start[number + 1], total, place, here, found, begin, rows, classes
            )
    return classes


def _refine(codes, weight, k, member, first, last, total, place, here, found, begin, rows, classes):
    """Divide the class ``member[first:last]``; return the number of new classes so far."""
    different = 0
    for a in range(first, last):
        i = member[a]
        code = codes[i]
        if place[code] == 0:
            here[different] = code
            different += 1
            total[code] = 0
        total[code] += weight[i]
        place[code] += 1
    for d in range(different):
        code = here[d]
        size = place[code]
        place[code] = -1
        if total[code] >= k:
            place[code] = begin[classes]
            rows[classes] = total[code]
            classes += 1
            begin[classes] = begin[classes - 1] + size
    for a in range(first, last):
        i = member[a]
        code = codes[i]
        if place[code] >= 0:
            found[place[code]] = i
            place[code] += 1
    for d in range(different):
        place[here[d]] = 0
    return classes
