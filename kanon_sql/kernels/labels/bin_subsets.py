"""Dynamic programming over subsets of labels: bit i of a subset stands for label i."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def lightest_bins(weight: NDArray[np.int64], k: int, most: int) -> NDArray[np.int64]:
    """Return the bins of a division whose heaviest bin is as light as possible, as subsets.

    Parameters
    ----------
    weight : int64 array [n]
        Units of each label.
    k : int
        Least units of a bin.
    most : int
        Most units of a bin; no bins are returned where no division has such bins only.

    Notes
    -----
    A division of a subset has a bin with the highest label of it: all of them are tried. O(3^n) time, O(2^n) memory.
    """
    size = 1 << len(weight)
    load = np.zeros(size, np.int64)
    best = np.full(size, most + 1)
    chosen = np.zeros(size, np.int64)
    best[0] = 0
    top = 0
    for subset in range(1, size):
        if subset >> (top + 1):
            top += 1
        rest = subset ^ (1 << top)
        load[subset] = load[rest] + weight[top]
        part = rest
        while True:
            inside = rest ^ part | (1 << top)
            heaviest = max(load[inside], best[part])
            if heaviest < best[subset] and load[inside] >= k:
                best[subset], chosen[subset] = heaviest, inside
            if part == 0:
                break
            part = (part - 1) & rest
    bins = np.empty(len(weight), np.int64)
    count, left = 0, size - 1
    while left and best[size - 1] <= most:
        bins[count] = chosen[left]
        left ^= chosen[left]
        count += 1
    return bins[:count]
