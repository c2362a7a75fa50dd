"""Median cuts: parts of a table, each cut in two between two values of one column."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def _best_cut(value: NDArray[np.int32], rows: NDArray[np.int64], total: int) -> tuple[int, int]:
    """Return the cut between the ascending values that is nearest to the median, and the rows of its smaller side.

    The values up to the cut, and it, are one side; ``rows`` counts by value.
    """
    cut, best, below = -1, 0, 0
    for v in value[:-1]:
        below += rows[v]
        if min(below, total - below) > best:
            cut, best = v, min(below, total - below)
    return cut, best


@njit(cache=True, nogil=True)
def cut_parts(
    by_column: NDArray[np.int32],
    weight: NDArray[np.int64],
    k: int,
    member: NDArray[np.int64],
    parts: NDArray[np.int64],
    starts: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Cut each part once where both sides keep k rows, along the column with the most values in the part.

    Parameters
    ----------
    by_column : int32 array [m, t]
        Codes, a column after the other.
    weight : int64 array [t]
        Rows of each row type.
    k : int
        Least rows of a side.
    member : int64 array [t]
        Row types in the order of the parts; reordered inside each part that is cut.
    parts : int64 array [p, 2]
        First place of each part in ``member``, and the place after its last.
    starts : bool array [t]
        Set where a new part starts.

    Returns
    -------
    int64 array [2 c, 2]
        The sides of the c parts that were cut. Equal values stay on one side; ties go to the first column.

    Notes
    -----
    O(m s log s) for a part of s row types; memory O(t + largest cardinality).
    """
    m, t = by_column.shape
    rows = np.zeros(by_column.max() + 1, np.int64)
    value = np.empty(t, np.int32)
    moved = np.empty(t, np.int64)
    sides = np.empty((2 * len(parts), 2), np.int64)
    made = 0
    for p in range(len(parts)):
        first, last = parts[p]
        inside = member[first:last]
        total = weight[inside].sum()
        column, cut, most = -1, -1, 1
        for c in range(m):
            if total < 2 * k:
                break
            values = 0
            for i in inside:
                code = by_column[c, i]
                if rows[code] == 0:
                    value[values] = code
                    values += 1
                rows[code] += weight[i]
            if values > most:
                value[:values].sort()
                found, smaller = _best_cut(value[:values], rows, total)
                if smaller >= k:
                    column, cut, most = c, found, values
            for v in value[:values]:
                rows[v] = 0
        if column < 0:
            continue
        low = 0
        for i in inside:
            low += by_column[column, i] <= cut
        left, right = 0, low
        for i in inside:
            if by_column[column, i] <= cut:
                moved[left] = i
                left += 1
            else:
                moved[right] = i
                right += 1
        inside[:] = moved[: len(inside)]
        starts[first + low] = True
        sides[made, 0], sides[made, 1] = first, first + low
        sides[made + 1, 0], sides[made + 1, 1] = first + low, last
        made += 2
    return sides[:made]
