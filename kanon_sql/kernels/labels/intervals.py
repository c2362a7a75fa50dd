"""Divisions of ordered labels into intervals, each of at least k rows and at most so many."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.squares import plus, square

_NEVER = (1 << 62, 0)


@njit(cache=True, nogil=True)
def reachable(before: NDArray[np.int64], k: int, heaviest: int) -> bool:
    """Return whether the labels can be divided into intervals of k to ``heaviest`` rows.

    Parameters
    ----------
    before : int64 array [n + 1]
        Rows before each label, and of all labels; strictly ascending from 0.
    k, heaviest : int
        Least and most rows of an interval.

    Notes
    -----
    The labels up to a place can be divided if an interval that ends there starts at such a place; those starts are a window
    that only moves on, so counting the places in it takes O(n) time and memory.
    """
    n = len(before) - 1
    divisible = np.zeros(n + 1, np.bool_)
    divisible[0] = True
    oldest, newest, inside = 0, 0, 0
    for j in range(1, n + 1):
        while before[j] - before[newest] >= k:
            inside += divisible[newest]
            newest += 1
        while oldest < newest and before[j] - before[oldest] > heaviest:
            inside -= divisible[oldest]
            oldest += 1
        divisible[j] = inside > 0
    return bool(divisible[n])


@njit(cache=True, nogil=True)
def _cost(before: NDArray[np.int64], heaviest: int, least: NDArray[np.int64], i: int, j: int) -> tuple[int, int]:
    """Return the least sum of squares of the labels up to j if the last interval starts at i."""
    rows = before[j] - before[i]
    return plus((least[i, 0], least[i, 1]), square(rows)) if rows <= heaviest else _NEVER


@njit(cache=True, nogil=True)
def _overtakes(
    before: NDArray[np.int64], heaviest: int, least: NDArray[np.int64], new: int, old: int, first: int, last: int
) -> int:
    """Return the first end in ``first..last`` for which the new start is no worse than the old one; ``last`` if none before."""
    while first < last:
        j = (first + last) // 2
        if _cost(before, heaviest, least, new, j) <= _cost(before, heaviest, least, old, j):
            last = j
        else:
            first = j + 1
    return first


@njit(cache=True, nogil=True)
def least_squares(before: NDArray[np.int64], k: int, heaviest: int) -> tuple[NDArray[np.bool_], tuple[int, int]]:
    """Divide the labels into intervals of k to ``heaviest`` rows with the least sum of squares.

    Parameters
    ----------
    before : int64 array [n + 1]
        Rows before each label, and of all labels; strictly ascending from 0, below 2^62.
    k, heaviest : int
        Least and most rows of an interval; some division must exist.

    Returns
    -------
    starts : bool array [n]
        Whether an interval starts at a label; among equally good divisions that with the latest starts, from the end.
    squares : tuple of int
        The sum, as in `kanon_sql.kernels.labels.squares`.

    Notes
    -----
    Dynamic programming over the end of the last interval. The square is convex, so a start that is no worse than an earlier
    one for some end is no worse for any later end, even where the limits exclude one or both. A queue therefore holds the
    starts that will be best, each with the first end for which it is: O(n log n) time, O(n) memory.
    """
    n = len(before) - 1
    least = np.empty((n + 1, 2), np.int64)
    start_of = np.zeros(n + 1, np.int64)
    queue = np.empty(n + 1, np.int64)
    best_from = np.empty(n + 1, np.int64)
    head, tail, ready = 0, 0, 0
    least[0, 0], least[0, 1] = 0, 0
    for j in range(1, n + 1):
        while before[j] - before[ready] >= k:
            new = ready
            ready += 1
            if least[new, 0] == _NEVER[0]:
                continue
            end = n + 1 if tail > head else j
            while tail > head:
                first = max(best_from[tail - 1], j)
                end = _overtakes(before, heaviest, least, new, queue[tail - 1], first, end)
                if end > first:
                    break
                tail -= 1
            if end <= n:
                queue[tail], best_from[tail] = new, end
                tail += 1
        while head + 1 < tail and best_from[head + 1] <= j:
            head += 1
        least[j, 0], least[j, 1] = _NEVER
        if head < tail:
            least[j, 0], least[j, 1] = _cost(before, heaviest, least, queue[head], j)
            start_of[j] = queue[head]
    starts = np.zeros(n, np.bool_)
    j = n
    while j > 0:
        j = start_of[j]
        starts[j] = True
    return starts, (least[n, 0], least[n, 1])
