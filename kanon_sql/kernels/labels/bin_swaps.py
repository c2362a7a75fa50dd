"""Bins evened out in pairs: a label of one moves to the other, or two labels change places."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def even_out(
    weight: NDArray[np.int64], place: NDArray[np.int64], load: NDArray[np.int64], least: int, most: int, rounds: int
) -> None:
    """Bring bins above ``most`` and below ``least`` nearer to the others, by moves and swaps that even out a pair of bins.

    No bin becomes heavier than the heaviest was, or lighter than the lightest.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label, descending.
    place : int64 array [n]
        The bin of each label; changed.
    load : int64 array [b]
        Rows of each bin; changed with them.
    least, most : int
        Pairs of bins that both have ``least`` to ``most`` rows are left as they are.
    rounds : int
        Most rounds, each of up to b / 2 disjoint pairs.

    Notes
    -----
    A round pairs the i-th heaviest bin with the one that has the place r - i, modulo b: b rounds try all pairs, the first one
    the heaviest with the lightest. The search ends when they change nothing: then no move and no swap of two labels helps.
    O(n + b log b) for a round in which each pair changes a few times, O(n + b) memory.
    """
    n, b = len(weight), len(load)
    first = np.full(b, n, np.int64)  # n ends a list
    after = np.empty(n, np.int64)
    for i in range(n - 1, -1, -1):
        after[i] = first[place[i]]
        first[place[i]] = i
    order = np.argsort(-load, kind="mergesort")
    idle = 0
    for _ in range(rounds):
        if idle == b or (load.max() <= most and load.min() >= least):
            break
        changed = False
        for i in range(b):
            j = (2 * b - 1 - idle - i) % b
            one, other = order[i], order[j]
            if j > i and (max(load[one], load[other]) > most or min(load[one], load[other]) < least):
                while _exchange(weight, load, first, after, one, other):
                    changed = True
        if changed:
            order = np.argsort(-load, kind="mergesort")
            idle = 0
        else:
            idle += 1
    for j in range(b):
        i = first[j]
        while i < n:
            place[i] = j
            i = after[i]


@njit(cache=True, nogil=True)
def _exchange(
    weight: NDArray[np.int64],
    load: NDArray[np.int64],
    first: NDArray[np.int64],
    after: NDArray[np.int64],
    one: int,
    other: int,
) -> bool:
    """Move a label or swap two so that two bins differ the least; return whether they differ less than before.

    The labels of bin j are ``first[j]``, then ``after`` of each, ascending, n at the end.
    """
    n = len(weight)
    heavy, light = (one, other) if load[one] >= load[other] else (other, one)
    apart = load[heavy] - load[light]
    best, given, back = apart, n, n
    above, y = n, first[light]
    x = first[heavy]
    while x < n:
        # The best partner of x is the last label above x - apart / 2 or the first one that is not; both descend with x.
        while y < n and 2 * weight[y] > 2 * weight[x] - apart:
            above, y = y, after[y]
        for partner in (above, y):
            shift = weight[x] - (weight[partner] if partner < n else 0)
            if abs(apart - 2 * shift) < best:
                best, given, back = abs(apart - 2 * shift), x, partner
        x = after[x]
    if given == n:
        return False
    shift = weight[given] - (weight[back] if back < n else 0)
    load[heavy] -= shift
    load[light] += shift
    _take(first, after, heavy, given)
    _put(first, after, light, given)
    if back < n:
        _take(first, after, light, back)
        _put(first, after, heavy, back)
    return True


@njit(cache=True, nogil=True)
def _take(first: NDArray[np.int64], after: NDArray[np.int64], j: int, label: int) -> None:
    if first[j] == label:
        first[j] = after[label]
        return
    i = first[j]
    while after[i] != label:
        i = after[i]
    after[i] = after[label]


@njit(cache=True, nogil=True)
def _put(first: NDArray[np.int64], after: NDArray[np.int64], j: int, label: int) -> None:
    if first[j] > label:
        after[label] = first[j]
        first[j] = label
        return
    i = first[j]
    while after[i] < label:  # the end of a list is above all labels
        i = after[i]
    after[label] = after[i]
    after[i] = label
