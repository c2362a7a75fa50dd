"""Where rows agree: the patterns under which a row looks like its nearest others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.merge_sort import sort_by_key

_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)


def shared_patterns(
    codes: cython.int[:, ::1],
    weight: cython.longlong[::1],
    cost: cython.longlong[::1],
    seeds: cython.longlong[::1],
    others: cython.longlong[::1],
    steps: int,
) -> NDArray[np.uint64]:
    """Return patterns uint64 [seeds, steps]: the columns in which a seed agrees with its 1, 2, 4, ... nearest ``others``.

    Nearest is what agrees in the most expensive columns, ties by position; a row type of several rows counts as that many.

    Notes
    -----
    O(s (o m + o log o)) for s seeds and o others; memory O(o (m + 1) + s steps).
    """
    patterns = np.zeros((len(seeds), steps), np.uint64)
    found: cython.ulonglong[:, ::1] = patterns
    agree: cython.ulonglong[::1] = np.empty(len(others), np.uint64)
    hidden: cython.longlong[::1] = np.empty(len(others), np.int64)
    order: cython.longlong[::1] = np.empty(len(others), np.int64)
    scratch: cython.longlong[::1] = np.empty(len(others), np.int64)
    with cython.nogil:
        for s in range(seeds.shape[0]):
            _compare(codes, cost, seeds[s], others, agree, hidden)
            _nearest(weight, seeds[s], others, agree, hidden, order, scratch, found[s])
    return patterns


def _compare(codes, cost, seed, others, agree, hidden):
    """Find the columns in which a seed agrees with each other row type, and the cost of the columns in which it does not."""
    for o in range(others.shape[0]):
        i = others[o]
        same: cython.ulonglong = 0
        total = 0
        for c in range(cost.shape[0]):
            differs = cython.cast(cython.longlong, codes[i, c] != codes[seed, c])  # a branch would be guessed wrong
            same |= cython.cast(cython.ulonglong, 1 - differs) << c
            total += cost[c] & -differs
        agree[o] = same
        hidden[o] = total


def _nearest(weight, seed, others, agree, hidden, order, scratch, found):
    """Fill in the columns that a seed and its nearest others share."""
    common: cython.ulonglong = _WORD
    rows = weight[seed] - 1
    step = 0
    for o in range(others.shape[0]):
        order[o] = o
    sort_by_key(order, others.shape[0], hidden, scratch)
    for r in range(others.shape[0]):
        o = order[r]
        if others[o] == seed:
            continue
        common &= agree[o]
        rows += weight[others[o]]
        while step < found.shape[0] and rows >= cython.cast(cython.longlong, 1) << step:
            found[step] = common
            step += 1
        if step == found.shape[0] or common == 0:
            break
