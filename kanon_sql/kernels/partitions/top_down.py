"""Top-down splitting for tables with more patterns than can be listed: from one class that shows nothing, show more."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def _kept_rows(rows: NDArray[np.int64], k: int) -> int:
    """Return the rows whose value may be shown so that those hidden are none or at least k; ``rows`` counts by value.

    A value that has to be hidden so that the others are not alone gets its count negated.
    """
    shown, hidden = 0, 0
    for value in range(len(rows)):
        if rows[value] >= k:
            shown += rows[value]
        else:
            hidden += rows[value]
    while 0 < hidden < k and shown > 0:
        least = -1
        for value in range(len(rows)):
            if rows[value] >= k and (least < 0 or rows[value] < rows[least]):
                least = value
        hidden += rows[least]
        shown -= rows[least]
        rows[least] = -rows[least]
    return shown


@njit(cache=True, nogil=True)
def _count_values(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    member: NDArray[np.int64],
    local: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> int:
    """Number the values of ``codes`` [t] among ``member`` by first appearance; fill ``local`` and ``rows``."""
    values = 0
    for i in member:
        if local[codes[i]] < 0:
            local[codes[i]] = values
            rows[values] = 0
            values += 1
        rows[local[codes[i]]] += weight[i]
    return values


@njit(cache=True, nogil=True)
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
    t, m = codes.shape
    by_column = np.ascontiguousarray(codes.T)
    member = np.arange(t)
    moved = np.empty(t, np.int64)
    local = np.full(cardinality.max(), -1, np.int64)
    rows = np.zeros(t + 1, np.int64)
    start = np.zeros(t + 2, np.int64)
    shown = np.zeros(t, np.uint64)
    low = np.empty(t + 1, np.int64)
    high = np.empty(t + 1, np.int64)
    settled = np.zeros(t + 1, np.uint64)
    low[0], high[0] = 0, t
    depth = 1
    while depth:
        depth -= 1
        first, last, tried = low[depth], high[depth], settled[depth]
        inside = member[first:last]
        best, best_gain = -1, 0
        for c in range(m):
            if (tried >> np.uint64(c)) & _ONE:
                continue
            values = _count_values(by_column[c], weight, inside, local, rows)
            gain = _kept_rows(rows[:values], k) * cost[c]
            for i in inside:
                local[by_column[c, i]] = -1
            if gain > best_gain:
                best, best_gain = c, gain
        if best < 0:
            continue
        column = by_column[best]
        values = _count_values(column, weight, inside, local, rows)
        _kept_rows(rows[:values], k)
        # Counting sort: group 0 gathers the rows that stay, group v + 1 those that show value v.
        start[: values + 2] = 0
        for i in inside:
            start[(local[column[i]] + 1 if rows[local[column[i]]] >= k else 0) + 1] += 1
        for group in range(values + 1):
            start[group + 1] += start[group]
        for group in range(values + 1):
            if start[group + 1] > start[group]:
                low[depth] = first + start[group]
                high[depth] = first + start[group + 1]
                settled[depth] = tried | (_ONE << np.uint64(best))
                depth += 1
        for i in inside:
            value = local[column[i]]
            group = value + 1 if rows[value] >= k else 0
            moved[first + start[group]] = i
            start[group] += 1
            if group:
                shown[i] |= _ONE << np.uint64(best)
        for i in inside:
            local[column[i]] = -1
        member[first:last] = moved[first:last]
    return shown
