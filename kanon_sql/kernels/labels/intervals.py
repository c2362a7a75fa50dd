"""Partitions of ordered labels into intervals, each of at least k rows and at most so many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.labels.two_word_sums import less_with_squares, plus, square

_NEVER = cython.declare(cython.longlong, 1 << 62)
"""Above the first word of any sum of squares."""


def reachable(before: cython.longlong[::1], k: cython.longlong, heaviest: cython.longlong) -> bool:
    """Return whether the labels can be partitioned into intervals of k to ``heaviest`` rows.

    Parameters
    ----------
    before : int64 array [n + 1]
        Rows before each label, and of all labels; strictly ascending from 0.
    k, heaviest : int
        Least and most rows of an interval.

    Notes
    -----
    The labels up to a place can be partitioned if an interval that ends there starts at such a place; those starts are a window
    that only moves on, so counting the places in it takes O(n) time and memory.
    """
    divisible = np.zeros(len(before), np.uint8)
    _reach(before, k, heaviest, divisible)
    return bool(divisible[len(before) - 1])


def _reach(before, k, heaviest, divisible):
    """Fill in whether the labels up to each place can be partitioned."""
    oldest = 0
    newest = 0
    inside = 0
    divisible[0] = True
    with cython.nogil:
        for j in range(1, before.shape[0]):
            while before[j] - before[newest] >= k:
                inside += divisible[newest]
                newest += 1
            while oldest < newest and before[j] - before[oldest] > heaviest:
                inside -= divisible[oldest]
                oldest += 1
            divisible[j] = inside > 0


def _overtakes(before, heaviest, least, new, old, first, last):
    """Return the first end in ``first..last`` for which the new start is no worse than the old one; ``last`` if none before.

    Where the old start makes an interval above ``heaviest`` the new one is no worse.
    """
    one: tuple[cython.longlong, cython.longlong] = (least[new, 0], least[new, 1])
    other: tuple[cython.longlong, cython.longlong] = (least[old, 0], least[old, 1])
    while first < last:
        j = (first + last) // 2
        rows = before[j] - before[old]
        if rows <= heaviest and less_with_squares(other, rows, one, before[j] - before[new]):
            first = j + 1
        else:
            last = j
    return first


def least_squares(
    before: cython.longlong[::1], k: cython.longlong, heaviest: cython.longlong
) -> tuple[NDArray[np.bool_], tuple[int, int]]:
    """Partition the labels into intervals of k to ``heaviest`` rows with the least sum of squares.

    Parameters
    ----------
    before : int64 array [n + 1]
        Rows before each label, and of all labels; strictly ascending from 0, below 2^62.
    k, heaviest : int
        Least and most rows of an interval; some partition must exist.

    Returns
    -------
    starts : bool array [n]
        Whether an interval starts at a label; among equally good partitions that with the latest starts, from the end.
    squares : tuple of int
        The sum, as in `kanon_sql.kernels.labels.two_word_sums`.

    Notes
    -----
    Dynamic programming over the end of the last interval. The square is convex, so a start that is no worse than an earlier
    one for some end is no worse for any later end, even where the limits exclude one or both. A queue therefore holds the
    starts that will be best, each with the first end for which it is: O(n log n) time, O(n) memory.
    """
    n = len(before) - 1
    least = np.empty((n + 1, 2), np.int64)
    start_of = np.zeros(n + 1, np.int64)
    _fill(before, k, heaviest, least, start_of, np.empty(n + 1, np.int64), np.empty(n + 1, np.int64))
    starts = np.zeros(n, np.bool_)
    _trace_back(start_of, starts.view(np.uint8))
    return starts, (int(least[n, 0]), int(least[n, 1]))


def _fill(before, k, heaviest, least, start_of, queue, best_from):
    """Fill ``least`` with the least sum of squares up to each end, ``start_of`` with the start of its last interval."""
    n = before.shape[0] - 1
    head = 0
    tail = 0
    ready = 0
    least[0, 0] = 0
    least[0, 1] = 0
    with cython.nogil:
        for j in range(1, n + 1):
            while before[j] - before[ready] >= k:
                start = ready
                ready += 1
                if least[start, 0] == _NEVER:
                    continue
                end = n + 1 if tail > head else j
                while tail > head:
                    first = max(best_from[tail - 1], j)
                    end = _overtakes(before, heaviest, least, start, queue[tail - 1], first, end)
                    if end > first:
                        break
                    tail -= 1
                if end <= n:
                    queue[tail] = start
                    best_from[tail] = end
                    tail += 1
            while head + 1 < tail and best_from[head + 1] <= j:
                head += 1
            cost: tuple[cython.longlong, cython.longlong] = (_NEVER, 0)
            if head < tail:
                start = queue[head]
                start_of[j] = start
                if before[j] - before[start] <= heaviest:
                    cost = plus((least[start, 0], least[start, 1]), square(before[j] - before[start]))
            least[j, 0] = cost[0]
            least[j, 1] = cost[1]


def _trace_back(start_of, starts):
    j = starts.shape[0]
    while j > 0:
        j = start_of[j]
        starts[j] = True
