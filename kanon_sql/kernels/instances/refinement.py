"""Classes told apart by one more column, where only those with enough rows are kept: a small class stays small."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
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
    found = np.empty(len(member), np.int32)
    begin = np.empty(len(member) + 1, np.int64)
    rows = np.empty(len(member), np.int64)
    owner = np.full(values, -1, np.int64)
    total = np.empty(values, np.int64)
    place = np.empty(values, np.int64)
    here = np.empty(values, np.int64)
    q, c = 0, 0
    for number in range(len(start) - 1):
        different = 0
        for i in member[start[number] : start[number + 1]]:
            code = codes[i]
            if owner[code] != number:
                owner[code] = number
                total[code] = 0
                place[code] = 0
                here[different] = code
                different += 1
            total[code] += weight[i]
            place[code] += 1
        for code in here[:different]:
            if total[code] < k:
                place[code] = -1
                continue
            begin[c] = q
            rows[c] = total[code]
            q += place[code]
            place[code] = begin[c]
            c += 1
        for i in member[start[number] : start[number + 1]]:
            code = codes[i]
            if place[code] >= 0:
                found[place[code]] = i
                place[code] += 1
    begin[c] = q
    return found[:q], begin[: c + 1], rows[:c]
