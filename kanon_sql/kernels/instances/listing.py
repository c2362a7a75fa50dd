"""Every useful pattern instance of a table, depth first over the columns: show or hide, and only groups that still matter.

The search is that of iceberg cubes: showing a column splits a group by its values, hiding it keeps the group; a group
with fewer than k rows, or whose cheapest completion is too dear for all of its rows, is dropped with all that follows.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def _least(sparse: NDArray[np.int64], low: int, high: int) -> np.int64:
    """Return the least cost of the masks ``low`` to ``high - 1``."""
    level = 0
    while 2 << level <= high - low:
        level += 1
    return np.int64(min(sparse[level, low], sparse[level, high - (1 << level)]))


@njit(cache=True, nogil=True)
def _first_hiding(masks: NDArray[np.uint64], low: int, high: int, bit: np.uint64) -> int:
    """Return where, among masks in descending order that agree on all higher bits, the first without ``bit`` stands."""
    while low < high:
        middle = (low + high) >> 1
        if masks[middle] & bit:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _agreed(codes: NDArray[np.int32], member: NDArray[np.int32], hidden: np.uint64) -> np.uint64:
    """Return those of the ``hidden`` columns in which all members have the same code."""
    m = codes.shape[1]
    for c in range(m):
        bit = _ONE << np.uint64(m - 1 - c)
        if hidden & bit:
            for i in member:
                if codes[i, c] != codes[member[0], c]:
                    hidden &= ~bit
                    break
    return hidden


@njit(cache=True, nogil=True)
def _listed(masks: NDArray[np.uint64], mask: np.uint64) -> bool:
    low, high = 0, len(masks)
    while low < high:
        middle = (low + high) >> 1
        if masks[middle] > mask:
            low = middle + 1
        else:
            high = middle
    return low < len(masks) and masks[low] == mask


@njit(cache=True, nogil=True)
def _dominated(
    masks: NDArray[np.uint64], cost: NDArray[np.int64], codes: NDArray[np.int32], member: NDArray[np.int32], p: int
) -> bool:
    """Return whether the members could all be shown under a permitted mask that costs less."""
    m = codes.shape[1]
    full = (_ONE << np.uint64(m)) - _ONE
    more = _agreed(codes, member, full & ~masks[p])
    if len(masks) > 256:  # the closure and its neighbours only: what is kept in vain costs time, not truth
        if more == 0:
            return False
        if _listed(masks, masks[p] | more):
            return True
        for c in range(m):
            bit = _ONE << np.uint64(c)
            if more & bit and _listed(masks, masks[p] | bit):
                return True
        return False
    for q in range(len(masks)):
        if masks[q] & ~(masks[p] | more) == 0 and (cost[q] < cost[p] or (cost[q] == cost[p] and q < p)):
            return True
    return False


@njit(cache=True, nogil=True)
def useful_instances(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    slack: int,
    masks: NDArray[np.uint64],
    cost: NDArray[np.int64],
    sparse: NDArray[np.int64],
    k: int,
    limit: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """List the instances with k rows that are of use to one of them, without dominated ones.

    An instance is of use to a row type if it costs less than the cheapest instance of the row type and ``slack`` more.

    Parameters
    ----------
    codes : int32 array [t, m]
        Columns of many values first: groups fall below k early.
    weight : int64 array [t]
        Rows of each row type.
    slack : int
        See above.
    masks : uint64 array [p], descending
        Column ``c`` is bit ``m - 1 - c``.
    cost : int64 array [p]
        Cost of a row under each mask.
    sparse : int64 array [levels, p]
        ``sparse[l, i]`` is the least of ``cost[i : i + 2**l]``.
    k, limit : int
        Least rows of a class; members after which the search gives up.

    Returns
    -------
    start : int64 array [j + 1]
        Where the members of each instance begin; ``start[0]`` is -1 when there are more than ``limit``.
    member : int32 array
        Row types, ``start[j]`` to ``start[j + 1] - 1``.
    mask : int32 array [j]
        The mask of each instance.
    worth : int64 array [t]
        The cost from which on an instance is of no use; 2**62 for a row type that fits none.

    Notes
    -----
    O(members of all groups looked at); memory O(t m) beside the answer.
    """
    t, m = codes.shape
    worth = np.full(t, np.int64(1) << 62)
    start = np.empty(1024, np.int64)
    mask = np.empty(1024, np.int32)
    member = np.empty(4096, np.int32)
    found, size = 0, 0
    start[0] = 0
    row = np.arange(t).astype(np.int32)
    other = np.empty(t, np.int32)
    cells = 1
    for c in range(m):
        for i in range(t):
            cells = max(cells, codes[i, c] + 1)
    rows = np.zeros(cells, np.int64)
    count = np.zeros(cells, np.int64)
    best = np.zeros(cells, np.int64)
    value = np.empty(cells, np.int64)
    # A group waits as: first and last member, column to decide, masks that agree with what was decided.
    stack = np.empty((1024, 5), np.int64)
    stack[0] = np.array([0, t, 0, 0, len(masks)])
    waiting = 1
    while waiting:
        waiting -= 1
        first, last, column, low, high = stack[waiting]
        top = np.int64(-1)
        for a in range(first, last):
            top = max(top, worth[row[a]])
        while column < m and _least(sparse, low, high) < top:
            bit = _ONE << np.uint64(m - 1 - column)
            middle = _first_hiding(masks, low, high, bit)
            if middle == low:  # every mask hides it
                column += 1
                continue
            if middle < high:
                same = True
                for a in range(first + 1, last):
                    if codes[row[a], column] != codes[row[first], column]:
                        same = False
                        break
                if same and high - middle == middle - low and len(masks) > 256:
                    high = middle  # hiding what all of them share anyway is dominated
                    column += 1
                    continue
                if waiting + 1 >= len(stack):
                    stack = np.concatenate((stack, stack))
                stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = first, last, column + 1
                stack[waiting, 3], stack[waiting, 4] = middle, high
                waiting += 1
            values = 0
            for a in range(first, last):
                code = codes[row[a], column]
                if count[code] == 0:
                    value[values] = code
                    values += 1
                    best[code] = -1
                count[code] += 1
                rows[code] += weight[row[a]]
                best[code] = max(best[code], worth[row[a]])
            place = first
            floor = _least(sparse, low, middle)
            for v in range(values):
                code = value[v]
                if rows[code] >= k and best[code] > floor:
                    if waiting + 1 >= len(stack):
                        stack = np.concatenate((stack, stack))
                    stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = place, place + count[code], column + 1
                    stack[waiting, 3], stack[waiting, 4] = low, middle
                    waiting += 1
                place += count[code]
                count[code], rows[code] = place - count[code], 0
            for a in range(first, last):
                code = codes[row[a], column]
                other[count[code]] = row[a]
                count[code] += 1
            for v in range(values):
                count[value[v]] = 0
            row[first:last] = other[first:last]
            break
        if column < m or cost[low] >= top or _dominated(masks, cost, codes, row[first:last], low):
            continue
        for a in range(first, last):
            worth[row[a]] = min(worth[row[a]], cost[low] + slack)
        if slack == 0:  # nothing costs less than the cheapest: only what that is is asked for
            continue
        if size + last - first > limit:
            start[0] = -1
            return start[:1], member[:0], mask[:0], worth
        while size + last - first > len(member):
            member = np.concatenate((member, member))
        if found + 2 > len(start):
            start = np.concatenate((start, start))
            mask = np.concatenate((mask, mask))
        member[size : size + last - first] = row[first:last]
        mask[found] = low
        size += last - first
        found += 1
        start[found] = size
    # What was listed before a cheaper instance was found may be of no use by now.
    kept, size = 0, 0
    for j in range(found):
        first, last, top = start[j], start[j + 1], np.int64(-1)
        for a in range(first, last):
            top = max(top, worth[member[a]])
        if cost[mask[j]] < top:
            start[kept], mask[kept] = size, mask[j]
            member[size : size + last - first] = member[first:last].copy()
            size += last - first
            kept += 1
    start[kept] = size
    return start[: kept + 1].copy(), member[:size].copy(), mask[:kept].copy(), worth


@njit(cache=True, nogil=True)
def supports(
    codes: NDArray[np.int32], shown: NDArray[np.uint64], sample: NDArray[np.int32], first: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the row types that look like each ``sample`` under its pattern, ascending, as ``start`` and ``member``.

    Parameters
    ----------
    codes : int32 array [t, m]
        Codes; column ``c`` is bit ``c`` of a pattern.
    shown : uint64 array [p]
        Patterns.
    sample : int32 array [j]
        Row types that look different under their pattern; those of pattern p are ``first[p]`` to ``first[p + 1] - 1``.

    Notes
    -----
    O(p t m); memory O(t) beside the answer.
    """
    t, m = codes.shape
    start = np.zeros(len(sample) + 1, np.int64)
    member = np.empty(1024, np.int32)
    home = np.empty(t, np.int32)
    column = np.empty(m, np.int64)
    for p in range(len(shown)):
        low, high = first[p], first[p + 1]
        s = 0
        for c in range(m):
            if (shown[p] >> np.uint64(c)) & _ONE:
                column[s] = c
                s += 1
        size = 16
        while size < 2 * (high - low):
            size *= 2
        table = np.full(size, -1, np.int64)
        for j in range(low, high):
            h = _slot(codes, sample[j], column[:s], size)
            while table[h] >= 0:
                h = (h + 1) & (size - 1)
            table[h] = j
        rows = np.zeros(high - low, np.int64)
        for i in range(t):
            home[i] = -1
            h = _slot(codes, i, column[:s], size)
            while table[h] >= 0:
                other = sample[table[h]]
                same = True
                for a in range(s):
                    if codes[i, column[a]] != codes[other, column[a]]:
                        same = False
                        break
                if same:
                    home[i] = table[h] - low
                    rows[home[i]] += 1
                    break
                h = (h + 1) & (size - 1)
        for j in range(low, high):
            start[j + 1] = start[j] + rows[j - low]
        while start[high] > len(member):
            member = np.concatenate((member, member))
        rows[:] = 0
        for i in range(t):
            if home[i] >= 0:
                member[start[low + home[i]] + rows[home[i]]] = i
                rows[home[i]] += 1
    return start, member[: start[len(sample)]].copy()


@njit(cache=True, nogil=True)
def _slot(codes: NDArray[np.int32], i: int, column: NDArray[np.int64], size: int) -> np.int64:
    mixed = np.uint64(0)
    for c in column:
        mixed = (mixed ^ np.uint64(codes[i, c])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed & np.uint64(size - 1))
