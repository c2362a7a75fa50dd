"""Dynamic programming over subsets of labels: bit i of a subset stands for label i."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


def lightest_bins(weight: cython.longlong[::1], k: cython.longlong, most: cython.longlong) -> NDArray[np.int64]:
    """Return the bins of a partition whose heaviest bin is as light as possible, as subsets.

    Parameters
    ----------
    weight : int64 array [n]
        Units of each label.
    k : int
        Least units of a bin.
    most : int
        Most units of a bin; no bins are returned where no partition has such bins only.

    Notes
    -----
    In any partition of a subset some bin holds its highest label: all such bins are tried. O(3^n) time, O(2^n) memory.
    """
    size = 1 << len(weight)
    best = np.full(size, most + 1, np.int64)
    chosen = np.zeros(size, np.int64)
    _partition(weight, k, np.zeros(size, np.int64), best, chosen)
    bins = []
    left = size - 1
    while left and best[size - 1] <= most:
        bins.append(chosen[left])
        left ^= chosen[left]
    return np.array(bins, np.int64)


def _partition(weight, k, load, best, chosen):
    """Fill ``best`` with the heaviest bin of the best partition of each subset, ``chosen`` with that of the highest label."""
    one = 1
    top = 0
    with cython.nogil:
        best[0] = 0
        for subset in range(1, load.shape[0]):
            if subset >> (top + 1):
                top += 1
            rest = subset ^ (one << top)
            load[subset] = load[rest] + weight[top]
            part = rest
            while True:
                inside = rest ^ part | (one << top)
                heaviest = max(load[inside], best[part])
                if heaviest < best[subset] and load[inside] >= k:
                    best[subset] = heaviest
                    chosen[subset] = inside
                if part == 0:
                    break
                part = (part - 1) & rest
