"""Dynamic programming over subsets of rows: bit r of a subset stands for row r."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython

IMPOSSIBLE = 1 << 60
"""Cost of what is not permitted; two of them can still be added."""

_IMPOSSIBLE = cython.declare(cython.longlong, IMPOSSIBLE)


def class_agreements(codes: NDArray[np.int32], least: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the subsets of ``least`` to ``most`` rows of ``codes`` [n, m], and the columns on which the rows of each agree.

    Notes
    -----
    O(n^2 m + 2^n) time and O(2^n) memory: a subset agrees where its subset without the lowest row does, and where that row
    agrees with the next one.
    """
    n, m = codes.shape
    same = codes[:, None] == codes[None]
    pair = same.astype(np.uint64) @ (np.uint64(1) << np.arange(m, dtype=np.uint64))
    agree = np.full(1 << n, (1 << m) - 1, np.uint64)
    lowest, rows = np.zeros(1 << n, np.int64), np.zeros(1 << n, np.int64)
    _combine(pair, agree, rows, lowest)
    found = np.flatnonzero((rows >= max(1, least)) & (rows <= most))
    return found, agree[found]


def _combine(
    pair: cython.ulonglong[:, ::1], agree: cython.ulonglong[::1], rows: cython.longlong[::1], lowest: cython.longlong[::1]
) -> None:
    """Fill ``agree``, ``rows`` and ``lowest``, the columns, rows and lowest row of each subset; ``pair`` is for two rows."""
    with cython.nogil:
        for subset in range(1, agree.shape[0]):
            rest = subset & (subset - 1)
            lowest[subset] = 0 if subset & 1 else lowest[subset >> 1] + 1
            rows[subset] = rows[rest] + 1
            agree[subset] = agree[rest]
            if rest:
                agree[subset] &= pair[lowest[subset], lowest[rest]]


def first_fitting(agree: cython.ulonglong[::1], shown: cython.ulonglong[::1]) -> NDArray[np.int64]:
    """Return for each agreement [a] the first of the patterns ``shown`` [p] within it, -1 where there is none; O(a p)."""
    answer = np.full(agree.shape[0], -1, np.int64)
    first: cython.longlong[::1] = answer
    with cython.nogil:
        for a in range(agree.shape[0]):
            for p in range(shown.shape[0]):
                if shown[p] | agree[a] == agree[a]:
                    first[a] = p
                    break
    return answer


def cheapest_partitions(
    cost: cython.longlong[::1],
    best: cython.longlong[::1],
    chosen: cython.longlong[::1],
    start: cython.longlong,
    stop: cython.longlong,
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
    top = 1
    with cython.nogil:
        for subset in range(start, stop):
            while 2 * top <= subset:
                top *= 2
            _cheapest_partition(cost, best, chosen, subset, top)


def _cheapest_partition(cost, best, chosen, subset, top):
    """Fill in the best partition of a subset whose highest row is ``top``."""
    rest = subset ^ top
    part = rest
    choice = 0
    least = _IMPOSSIBLE
    while True:
        total = cost[top | part] + best[rest ^ part]
        if total < least:
            least = total
            choice = top | part
        if part == 0:
            break
        part = (part - 1) & rest
    best[subset] = least
    chosen[subset] = choice
