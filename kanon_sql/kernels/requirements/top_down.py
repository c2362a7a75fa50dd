"""Top-down splitting under a promise: from one class that shows nothing, show more while every part keeps the promise."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.promises import COUNTERS, LEAST, Rules, meets

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def split_promised(
    rules: Rules, codes: NDArray[np.int32], weight: NDArray[np.int64], cost: NDArray[np.int64], cardinality: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return the shown columns of each row type, uint64 [t]; every class keeps the promise if the whole table does.

    A class is split by the column whose showing saves the most: each value whose rows keep the promise becomes a class that
    shows it, the other rows stay together, with as many of these values as they need to keep it too. Ties go to the first
    column.

    Notes
    -----
    O(m (t + c V)) a level of splitting into c parts of at least the least rows, at most m levels; memory O(t + c V).
    """
    t, m = codes.shape
    by_column = np.ascontiguousarray(codes.T)
    member, moved = np.arange(t), np.empty(t, np.int64)
    local = np.full(cardinality.max(), -1, np.int64)
    stays = np.zeros(t + 1, np.bool_)
    start = np.zeros(t + 2, np.int64)
    shown = np.zeros(t, np.uint64)
    low, high = np.empty(t + 1, np.int64), np.empty(t + 1, np.int64)
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
            values = _numbered(by_column[c], inside, local)
            gain = _kept_rows(rules, by_column[c], weight, inside, local, values, stays) * cost[c]
            for i in inside:
                local[by_column[c, i]] = -1
            if gain > best_gain:
                best, best_gain = c, gain
        if best < 0:
            continue
        column = by_column[best]
        values = _numbered(column, inside, local)
        _kept_rows(rules, column, weight, inside, local, values, stays)
        # Counting sort: group 0 gathers the rows that stay, group v + 1 those that show value v.
        start[: values + 2] = 0
        for i in inside:
            start[(0 if stays[local[column[i]]] else local[column[i]] + 1) + 1] += 1
        for each in range(values + 1):
            start[each + 1] += start[each]
        for each in range(values + 1):
            if start[each + 1] > start[each]:
                low[depth] = first + start[each]
                high[depth] = first + start[each + 1]
                settled[depth] = tried | (_ONE << np.uint64(best))
                depth += 1
        for i in inside:
            value = local[column[i]]
            each = 0 if stays[value] else value + 1
            moved[first + start[each]] = i
            start[each] += 1
            if each:
                shown[i] |= _ONE << np.uint64(best)
        for i in inside:
            local[column[i]] = -1
        member[first:last] = moved[first:last]
    return shown


@njit(cache=True, nogil=True)
def _numbered(codes: NDArray[np.int32], member: NDArray[np.int64], local: NDArray[np.int64]) -> int:
    """Number the values of ``codes`` [t] among ``member`` by first appearance in ``local``; return how many there are."""
    values = 0
    for i in member:
        if local[codes[i]] < 0:
            local[codes[i]] = values
            values += 1
    return values


@njit(cache=True, nogil=True)
def _kept_rows(
    rules: Rules,
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    member: NDArray[np.int64],
    local: NDArray[np.int64],
    values: int,
    stays: NDArray[np.bool_],
) -> int:
    """Return the rows whose value may be shown; set whether each value ``stays`` hidden."""
    rows = np.zeros(values, np.int64)
    for i in member:
        rows[local[codes[i]]] += weight[i]
    place, many = np.full(values, -1, np.int64), 0
    for value in range(values):
        if rows[value] >= rules.law[LEAST]:
            place[value] = many
            many += 1
    held = np.zeros((many + 1, rules.law[COUNTERS]), np.int64)
    for i in member:
        for b in range(rules.counter.shape[1]):
            held[place[local[codes[i]]], rules.counter[i, b]] += weight[i]  # the last gathers all that stay: its place is -1
    shown, hidden = 0, 0
    for value in range(values):
        stays[value] = place[value] < 0 or not meets(rules.law, rules.room, held[place[value]], rows[value])
        if stays[value]:
            hidden += rows[value]
            if place[value] >= 0:
                held[many] += held[place[value]]
        else:
            shown += rows[value]
    while shown and hidden and not meets(rules.law, rules.room, held[many], hidden):
        least = -1
        for value in range(values):
            if not stays[value] and (least < 0 or rows[value] < rows[least]):
                least = value
        stays[least] = True
        hidden += rows[least]
        shown -= rows[least]
        held[many] += held[place[least]]
    return shown
