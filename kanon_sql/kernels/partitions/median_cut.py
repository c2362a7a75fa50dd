"""Median cuts: parts of a table, each cut in two between two values of one column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int64
from kanon_sql.kernels.merge_sort import sort_by_key


@cython.final
@cython.cclass
class _Cutter:
    """Parts of a table, and scratch arrays to cut them, allocated once.

    Parameters
    ----------
    by_column, weight, k, member
        As in `cut_parts`.

    Attributes
    ----------
    rows, key : int64 arrays [largest cardinality]
        Rows of each value in a part, else 0; the values themselves, as keys to sort by.
    value, other, moved : int64 arrays [t]
        The different values of a part, and scratch to sort them and to reorder row types.
    cut, smaller : int
        The best cut of a column: the values up to the cut, and it, are one side; the rows of the smaller side.
    """

    def __init__(self, by_column: NDArray[np.int32], weight: NDArray[np.int64], k: int, member: NDArray[np.int64]) -> None:
        t, cardinality = by_column.shape[1], int(by_column.max()) + 1
        self.by_column, self.weight, self.k, self.member = by_column, weight, k, member
        self.rows, self.key = zeros_int64(cardinality), np.arange(cardinality)
        self.value, self.other, self.moved = (np.empty(t, np.int64) for _ in range(3))
        self.cut = self.smaller = 0


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
    sides = np.empty((2 * len(parts), 2), np.int64)
    return sides[: _cut_all(_Cutter(by_column, weight, k, member), parts, starts.view(np.uint8), sides)]


def _cut_all(cutter: _Cutter, parts: cython.longlong[:, ::1], starts: cython.uchar[::1], sides: cython.longlong[:, ::1]) -> int:
    """Cut the parts; return how many sides there are."""
    made = 0
    with cython.nogil:
        for p in range(parts.shape[0]):
            first = parts[p, 0]
            last = parts[p, 1]
            middle = _cut_part(cutter, first, last)
            if middle > first:
                starts[middle] = 1
                sides[made, 0] = first
                sides[made, 1] = middle
                sides[made + 1, 0] = middle
                sides[made + 1, 1] = last
                made += 2
    return made


def _cut_part(cutter, first, last):
    """Cut a part; return where its second side begins, ``first`` if it cannot be cut."""
    column = -1
    cut = -1
    most = 1
    total = 0
    for a in range(first, last):
        total += cutter.weight[cutter.member[a]]
    if total < 2 * cutter.k:
        return first
    for c in range(cutter.by_column.shape[0]):
        values = _count_values(cutter, c, first, last)
        if values > most:
            sort_by_key(cutter.value, values, cutter.key, cutter.other)
            _find_cut(cutter, values, total)
            if cutter.smaller >= cutter.k:
                column = c
                cut = cutter.cut
                most = values
        for v in range(values):
            cutter.rows[cutter.value[v]] = 0
    return _divide(cutter, first, last, column, cut) if column >= 0 else first


def _count_values(cutter, column, first, last):
    """List the different values of a part, and count their rows; return how many there are."""
    values = 0
    for a in range(first, last):
        i = cutter.member[a]
        code = cutter.by_column[column, i]
        if cutter.rows[code] == 0:
            cutter.value[values] = code
            values += 1
        cutter.rows[code] += cutter.weight[i]
    return values


def _find_cut(cutter, values, total):
    """Find the cut between the ascending values that is nearest to the median."""
    below = 0
    cutter.smaller = 0
    for v in range(values - 1):
        below += cutter.rows[cutter.value[v]]
        smaller = min(below, total - below)
        if smaller > cutter.smaller:
            cutter.cut = cutter.value[v]
            cutter.smaller = smaller


def _divide(cutter, first, last, column, cut):
    """Bring the row types up to a cut to the front of a part, otherwise in the order they had; return how far they reach."""
    low = first
    high = 0
    for a in range(first, last):
        i = cutter.member[a]
        if cutter.by_column[column, i] <= cut:
            cutter.member[low] = i
            low += 1
        else:
            cutter.moved[high] = i
            high += 1
    for a in range(high):
        cutter.member[low + a] = cutter.moved[a]
    return low
