"""Pairs and triples of rows by their reduced cost: what they cost, less the prices of their rows and what the cuts pay.

Nothing is stored by pair: each pass looks at all of them, so memory is what it finds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FORBIDDEN = 1 << 40
"""Cost of a row where no pattern shows only what its class agrees on."""

JITTER_BITS = 20

DEARER_TRIPLE = 6
"""A triple costs this binary fraction of the spread more than half of its pairs, so that it is not there without need."""


class Simplices(NamedTuple):
    """Row types of which two or three rows may form a class.

    ``codes`` int32 [t, m] and ``weight`` int64 [t] (rows); ``apart`` int64 [t]: rows with the same number from 0 may not be in
    one class. ``cheapest`` int64 [2^m]: cost of a row by the columns on which its class agrees; empty where it is just the
    sum of ``cost`` int64 [m] over the others. Costs are counted in 1 / ``unit``, and each pair costs up to ``spread`` more, by
    chance, so that hardly two matchings cost the same; a triple costs half of what its pairs cost more, and a little.
    """

    codes: NDArray[np.int32]
    weight: NDArray[np.int64]
    apart: NDArray[np.int64]
    cost: NDArray[np.int64]
    cheapest: NDArray[np.int64]
    unit: int
    spread: int


class Duals(NamedTuple):
    """Prices: ``price`` int64 [t] of a row, all cuts of its row type included, and ``worth`` int64 [s] of each cut.

    ``cut[first[i] : first[i + 1]]`` are the cuts that row type i is in, ascending.
    """

    price: NDArray[np.int64]
    worth: NDArray[np.int64]
    first: NDArray[np.int64]
    cut: NDArray[np.int32]


@njit(cache=True, nogil=True, inline="always")
def _jitter(a: int, b: int) -> np.int64:
    """Return JITTER_BITS bits that look like chance, the same for both orders."""
    low, high = np.uint64(min(a, b)), np.uint64(max(a, b))
    mixed = np.uint64(low * np.uint64(0x9E3779B97F4A7C15) ^ (high + np.uint64(1)) * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed = np.uint64((mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD))
    mixed = np.uint64((mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53))
    return np.int64(mixed >> np.uint64(64 - JITTER_BITS))


@njit(cache=True, nogil=True, inline="always")
def _more(s: Simplices, a: int, b: int) -> np.int64:
    return (_jitter(a, b) * s.spread) >> JITTER_BITS


@njit(cache=True, nogil=True, inline="always")
def _more_of_three(s: Simplices, a: int, b: int, c: int) -> np.int64:
    return (_more(s, a, b) + _more(s, a, c) + _more(s, b, c) + 1) // 2 + (s.spread >> DEARER_TRIPLE)


@njit(cache=True, nogil=True, inline="always")
def _row_cost(s: Simplices, a: int, b: int, c: int) -> np.int64:
    """Return the cost of a row in a class of a, b and c."""
    m = s.codes.shape[1]
    if len(s.cheapest):
        agreed = np.int64(0)
        for column in range(m):
            code = s.codes[a, column]
            agreed |= np.int64(code == s.codes[b, column] and code == s.codes[c, column]) << column
        price: np.int64 = s.cheapest[agreed]
        return price
    total = np.int64(0)
    for column in range(m):
        code = s.codes[a, column]
        if code != s.codes[b, column] or code != s.codes[c, column]:
            total += s.cost[column]
    return total


@njit(cache=True, nogil=True, inline="always")
def _fit(s: Simplices, a: int, b: int) -> bool:
    return (s.apart[a] < 0 or s.apart[a] != s.apart[b]) and (a != b or s.weight[a] > 1)


@njit(cache=True, nogil=True)
def class_costs(s: Simplices, member: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the cost of each class [g, 3], the third row type -1 in a pair; -1 where the rows may not be a class; O(g m)."""
    total = np.full(len(member), np.int64(-1))
    for g in range(len(member)):
        a, b, c = member[g]
        row = _row_cost(s, a, b, b if c < 0 else c)
        if row >= FORBIDDEN or not _fit(s, a, b):
            continue
        if c < 0:
            total[g] = 2 * s.unit * row + _more(s, a, b)
        elif _fit(s, a, c) and _fit(s, b, c) and not (a == b == c and s.weight[a] < 3):
            total[g] = 3 * s.unit * row + _more_of_three(s, a, b, c)
    return total


@njit(cache=True, nogil=True)
def nearest(s: Simplices, count: int, start: int, step: int) -> NDArray[np.int32]:
    """Return the cheapest ``count`` partners of every ``step``-th row type from ``start``, -1 if there are fewer; O(t^2 m)."""
    t = len(s.weight)
    found = np.full(((t - start + step - 1) // step, count), -1, np.int32)
    best = np.empty(count, np.int64)
    for row in range(len(found)):
        a = start + row * step
        best[:] = FORBIDDEN << JITTER_BITS
        for b in range(t):
            if not _fit(s, a, b):
                continue
            cost = (_row_cost(s, a, b, b) << JITTER_BITS) + _jitter(a, b)
            place = count
            while place > 0 and best[place - 1] > cost:
                place -= 1
                if place < count - 1:
                    best[place + 1], found[row, place + 1] = best[place], found[row, place]
            if place < count:
                best[place], found[row, place] = cost, b
    return found


@njit(cache=True, nogil=True)
def _shared(duals: Duals, a: int, b: int) -> np.int64:
    """Return the worth of the cuts that a and b are both in."""
    i, j, total = duals.first[a], duals.first[b], np.int64(0)
    while i < duals.first[a + 1] and j < duals.first[b + 1]:
        if duals.cut[i] == duals.cut[j]:
            total += duals.worth[duals.cut[i]]
            i += 1
            j += 1
        elif duals.cut[i] < duals.cut[j]:
            i += 1
        else:
            j += 1
    return total


@njit(cache=True, nogil=True)
def _all_shared(duals: Duals, a: int, b: int, c: int) -> np.int64:
    """Return the worth of the cuts that a, b and c are all in."""
    i, j, k, total = duals.first[a], duals.first[b], duals.first[c], np.int64(0)
    while i < duals.first[a + 1] and j < duals.first[b + 1] and k < duals.first[c + 1]:
        last = max(duals.cut[i], duals.cut[j], duals.cut[k])
        if duals.cut[i] == duals.cut[j] == duals.cut[k]:
            total += duals.worth[last]
            i, j, k = i + 1, j + 1, k + 1
            continue
        if duals.cut[i] < last:
            i += 1
        if duals.cut[j] < last:
            j += 1
        if duals.cut[k] < last:
            k += 1
    return total


@njit(cache=True, nogil=True)
def pairs_below(
    s: Simplices, duals: Duals, slack: int, limit: int, start: int, step: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the pairs that could be, or be in, a class of a reduced cost below ``slack``.

    What a cut is worth counts once for a class of which it holds one row or three, but is in the price of each row; so a pair
    inside of a cut costs twice its worth more, and a triple twice its worth for each cut that holds two rows or more. Without
    that, a triple costs at least half of what its pairs do. So if every pair has a reduced cost of 0 or more, then all pairs
    of a triple below ``slack`` are below twice that, even without.

    Returns
    -------
    pair : int32 array [g, 2]
        The first is every ``step``-th row type from ``start`` on, the second is not before it. When there are more than
        ``limit``, the first ``limit + 1``.
    reduced : int64 array [g]
        Reduced cost.

    Notes
    -----
    O(t^2 m).
    """
    t = len(s.weight)
    pair = np.empty((1024, 2), np.int32)
    reduced = np.empty(1024, np.int64)
    found = 0
    for a in range(start, t, step):
        for b in range(a, t):
            row = _row_cost(s, a, b, b)
            # The jitter, which is slower to find, only adds to it.
            cost = 2 * s.unit * row - duals.price[a] - duals.price[b]
            if cost >= 2 * slack or row >= FORBIDDEN or not _fit(s, a, b):
                continue
            cost += _more(s, a, b)
            if cost >= 2 * slack:
                continue
            if found == len(pair):
                pair = np.concatenate((pair, pair))
                reduced = np.concatenate((reduced, reduced))
            pair[found, 0], pair[found, 1] = a, b
            reduced[found] = cost + 2 * _shared(duals, a, b)
            found += 1
            if found > limit:
                return pair[:found].copy(), reduced[:found].copy()
    return pair[:found].copy(), reduced[:found].copy()


@njit(cache=True, nogil=True)
def triples_below(
    s: Simplices, duals: Duals, slack: int, limit: int, first: NDArray[np.int64], second: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the triples of a reduced cost below ``slack``, int32 [g, 3], and it, int64 [g]; at most the first ``limit + 1``.

    Parameters
    ----------
    s, duals, slack, limit
        As in `pairs_below`; every pair has a reduced cost of 0 or more.
    first, second : int64 array [t + 1], int32 array
        The pairs found there: those of row type a are ``second[first[a] : first[a + 1]]``, ascending.

    Notes
    -----
    O(m) for every two pairs of one row type.
    """
    triple = np.empty((256, 3), np.int32)
    reduced = np.empty(256, np.int64)
    found = 0
    for a in range(len(first) - 1):
        for i in range(first[a], first[a + 1]):
            b = second[i]
            for j in range(i, first[a + 1]):
                c = second[j]
                if not _fit(s, b, c) or (a == b == c and s.weight[a] < 3):
                    continue
                row = _row_cost(s, a, b, c)
                cost = 3 * s.unit * row - duals.price[a] - duals.price[b] - duals.price[c]
                if cost >= slack or row >= FORBIDDEN:
                    continue
                cost += _more_of_three(s, a, b, c)
                twice = _shared(duals, a, b) + _shared(duals, a, c) + _shared(duals, b, c)
                cost += 2 * (twice - 2 * _all_shared(duals, a, b, c))
                if cost >= slack:
                    continue
                if found == len(triple):
                    triple = np.concatenate((triple, triple))
                    reduced = np.concatenate((reduced, reduced))
                triple[found, 0], triple[found, 1], triple[found, 2] = a, b, c
                reduced[found] = cost
                found += 1
                if found > limit:
                    return triple[:found].copy(), reduced[:found].copy()
    return triple[:found].copy(), reduced[:found].copy()
