"""Top-down splitting for tables with more patterns than can be listed: from one class that shows nothing, show more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64, full_int64, zeros_int64, zeros_uint64


@cython.final
@cython.cclass
class _Splitter:
    """Classes that are split, and scratch arrays, allocated once.

    Parameters
    ----------
    codes, weight, cost, cardinality
        As in `split_classes`.

    Attributes
    ----------
    by_column : int32 array [m, t]
        Codes, a column after the other.
    member, moved : int64 arrays [t]
        The row types, class after class, and scratch to reorder them.
    local, rows : int64 arrays [largest cardinality], [t + 1]
        The number of each value in a class, -1 where there is none, and the rows of each number: negated where the value
        has to be hidden so that others are not alone.
    place : int64 array [t + 2]
        Where the rows of each part of a class go.
    depth, low, high, tried : int, int64 arrays [t + 1], uint64 array [t + 1]
        The classes that wait: first and last place in ``member``, and the columns that were shown or tried.
    shown : uint64 array [t]
        The columns that each row type shows.
    """

    def __init__(
        self, codes: NDArray[np.int32], weight: NDArray[np.int64], cost: NDArray[np.int64], cardinality: NDArray[np.int64]
    ) -> None:
        t = len(codes)
        self.by_column, self.weight, self.cost = np.ascontiguousarray(codes.T), weight, cost
        self.member, self.moved = np.arange(t), empty_int64(t)
        self.local = full_int64(cardinality.max(), -1)
        self.rows, self.place = zeros_int64(t + 1), zeros_int64(t + 2)
        self.depth, self.tried = 0, zeros_uint64(t + 1)
        self.low, self.high = empty_int64(t + 1), empty_int64(t + 1)
        self.shown = zeros_uint64(t)


def split_classes(
    codes: NDArray[np.int32], weight: NDArray[np.int64], cost: NDArray[np.int64], cardinality: NDArray[np.int64], k: int
) -> NDArray[np.uint64]:
    """Return the shown columns of each row type, uint64 [t]; every class has at least k rows if the table has.

    A class is split by the column whose showing saves the most: each value with k rows becomes a class that shows it, the
    other rows stay and may still be split by another column. Ties go to the first column.

    Notes
    -----
    O(m t) a level of splitting, at most m levels; memory O(t + largest cardinality).
    """
    splitter = _Splitter(codes, weight, cost, cardinality)
    _split_all(splitter, k)
    return np.asarray(splitter.shown)


def _split_all(splitter: _Splitter, k: cython.longlong) -> None:
    with cython.nogil:
        _wait(splitter, 0, splitter.member.shape[0], 0)
        while splitter.depth:
            splitter.depth -= 1
            first = splitter.low[splitter.depth]
            last = splitter.high[splitter.depth]
            column = _best_column(splitter, first, last, splitter.tried[splitter.depth], k)
            if column >= 0:
                _split(splitter, first, last, splitter.tried[splitter.depth], column, k)


def _wait(splitter, first, last, tried):
    splitter.low[splitter.depth] = first
    splitter.high[splitter.depth] = last
    splitter.tried[splitter.depth] = tried
    splitter.depth += 1


def _best_column(splitter, first, last, tried, k):
    """Return the column whose showing saves the most in a class, -1 if none saves anything."""
    best = -1
    best_gain = 0
    for c in range(splitter.cost.shape[0]):
        if (tried >> c) & 1:
            continue
        values = _count_values(splitter, c, first, last)
        gain = _shown_rows(splitter, values, k) * splitter.cost[c]
        _forget_values(splitter, c, first, last)
        if gain > best_gain:
            best = c
            best_gain = gain
    return best


def _count_values(splitter, column, first, last):
    """Number the values of a class by first appearance, and count their rows; return how many there are."""
    values = 0
    for a in range(first, last):
        i = splitter.member[a]
        code = splitter.by_column[column, i]
        if splitter.local[code] < 0:
            splitter.local[code] = values
            splitter.rows[values] = 0
            values += 1
        splitter.rows[splitter.local[code]] += splitter.weight[i]
    return values


def _forget_values(splitter, column, first, last):
    for a in range(first, last):
        splitter.local[splitter.by_column[column, splitter.member[a]]] = -1


def _shown_rows(splitter, values, k):
    """Return the rows whose value may be shown so that those hidden are none or at least k.

    A value that has to be hidden so that the others are not alone gets its count negated.
    """
    shown = 0
    hidden = 0
    for value in range(values):
        if splitter.rows[value] >= k:
            shown += splitter.rows[value]
        else:
            hidden += splitter.rows[value]
    while 0 < hidden < k and shown > 0:
        least = -1
        for value in range(values):
            if splitter.rows[value] >= k and (least < 0 or splitter.rows[value] < splitter.rows[least]):
                least = value
        hidden += splitter.rows[least]
        shown -= splitter.rows[least]
        splitter.rows[least] = -splitter.rows[least]
    return shown


def _part(splitter, column, i, k):
    """Return the part of a class that a row type goes to: 0 gathers those that stay, v + 1 those that show value v."""
    value = splitter.local[splitter.by_column[column, i]]
    return value + 1 if splitter.rows[value] >= k else 0


def _split(splitter, first, last, tried, column, k):
    """Split a class by a column, by a counting sort; its parts wait."""
    bit: cython.ulonglong = cython.cast(cython.ulonglong, 1) << column
    values = _count_values(splitter, column, first, last)
    _shown_rows(splitter, values, k)
    for part in range(values + 2):
        splitter.place[part] = 0
    for a in range(first, last):
        splitter.place[_part(splitter, column, splitter.member[a], k) + 1] += 1
    splitter.place[0] = first
    for part in range(values + 1):
        splitter.place[part + 1] += splitter.place[part]
        if splitter.place[part + 1] > splitter.place[part]:
            _wait(splitter, splitter.place[part], splitter.place[part + 1], tried | bit)
    for a in range(first, last):
        i = splitter.member[a]
        part = _part(splitter, column, i, k)
        splitter.moved[splitter.place[part]] = i
        splitter.place[part] += 1
        if part:
            splitter.shown[i] |= bit
    _forget_values(splitter, column, first, last)
    for a in range(first, last):
        splitter.member[a] = splitter.moved[a]
