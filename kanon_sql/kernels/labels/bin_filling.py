"""Bins filled one label after the other, each into the lightest one."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def to_lightest(weight: NDArray[np.int64], load: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bin of each label, int64 [n]: the labels in their order, each into the bin that is the lightest then.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label.
    load : int64 array [b]
        Rows that are in each bin already; raised by the labels. The first of equally light bins is taken.

    Notes
    -----
    O(b + n log b) time, O(n + b) memory.
    """
    place = np.empty(len(weight), np.int64)
    heap = [(load[j], j) for j in range(len(load))]
    heapq.heapify(heap)
    for i in range(len(weight)):
        j = heap[0][1]
        place[i] = j
        load[j] += weight[i]
        heapq.heapreplace(heap, (load[j], j))
    return place
