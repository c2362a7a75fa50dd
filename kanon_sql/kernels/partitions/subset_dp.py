"""Dynamic programming over subsets of rows: bit r of a subset stands for row r."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ONE = np.uint64(1)

IMPOSSIBLE = 1 << 60
"""Cost of what is not permitted; two of them can still be added."""


@njit(cache=True, nogil=True)
def class_agreements(codes: NDArray[np.int32], least: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the subsets of ``least`` to ``most`` rows of ``codes`` [n, m], and the columns on which the rows of each agree.

    Notes
    -----
    O(n^2 m + 2^n) time and O(2^n) memory: a subset agrees where its subset without the lowest row does, and where that row
    agrees with the next one.
    """
    n, m = codes.shape
    pair = np.zeros((n, n), np.uint64)
    for a in range(n):
        for b in range(n):
            for c in range(m):
                if codes[a, c] == codes[b, c]:
                    pair[a, b] |= _ONE << np.uint64(c)
    agree = np.full(1 << n, (_ONE << np.uint64(m)) - _ONE)
    rows = np.zeros(1 << n, np.int64)
    lowest = np.zeros(1 << n, np.int64)
    found = np.empty(1 << n, np.int64)
    count = 0
    for subset in range(1, 1 << n):
        rest = subset & (subset - 1)
        lowest[subset] = lowest[subset >> 1] + 1 if subset & 1 == 0 else 0
        rows[subset] = rows[rest] + 1
        agree[subset] = agree[rest]
        if rest:
            agree[subset] &= pair[lowest[subset], lowest[rest]]
        if least <= rows[subset] <= most:
            found[count] = subset
            count += 1
    return found[:count], agree[found[:count]]


@njit(cache=True, nogil=True)
def first_fitting(agree: NDArray[np.uint64], shown: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return for each agreement [a] the first of the patterns ``shown`` [p] within it, -1 where there is none; O(a p)."""
    first = np.full(len(agree), -1, np.int64)
    for a in range(len(agree)):
        for p in range(len(shown)):
            if shown[p] & ~agree[a] == 0:
                first[a] = p
                break
    return first


@njit(cache=True, nogil=True)
def cheapest_partitions(
    cost: NDArray[np.int64], best: NDArray[np.int64], chosen: NDArray[np.int64], start: int, stop: int
) -> None:
    """Fill ``best`` and ``chosen`` for the subsets from ``start``, above 0, to before ``stop``; all smaller ones are filled.

    Parameters
    ----------
    cost : int64 array [2^n]
        Cost of each subset as one class; IMPOSSIBLE where it may not be one.
    best : int64 array [2^n]
        Least cost of a partition of each subset into classes; 0 for the empty one.
    chosen : int64 array [2^n]
        The class of such a partition that holds the highest row; 0 where there is none.

    Notes
    -----
    O(2^r) for a subset of r rows: every class that holds its highest row. Together O(3^n).
    """
    for subset in range(start, stop):
        top = 1
        while 2 * top <= subset:
            top *= 2
        rest = subset ^ top
        least, choice, part = IMPOSSIBLE, 0, rest
        while True:
            total = cost[top | part] + best[rest ^ part]
            if total < least:
                least, choice = total, top | part
            if part == 0:
                break
            part = (part - 1) & rest
        best[subset], chosen[subset] = least, choice
