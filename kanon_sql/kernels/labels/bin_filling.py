"""Bins filled one label after the other, each into the lightest one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.heap import push, raise_first


def to_lightest(weight: cython.longlong[::1], load: cython.longlong[::1]) -> NDArray[np.int64]:
    """Return the bin of each label, int64 [n]: the labels in their order, each into the bin that is then the lightest.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label.
    load : int64 array [b]
        Rows that are in each bin already; increased by the labels. The first of equally light bins is taken.

    Notes
    -----
    O((n + b) log b) time, O(n + b) memory.
    """
    place = np.empty(len(weight), np.int64)
    _fill(weight, load, place, np.empty(len(load), np.int64))
    return place


def _fill(weight, load, place, heap):
    """The loads are the keys of a heap of bins."""
    size = 0
    with cython.nogil:
        for j in range(load.shape[0]):
            size = push(heap, load, size, j, load[j])
        for i in range(weight.shape[0]):
            j = heap[0]
            place[i] = j
            raise_first(heap, load, size, load[j] + weight[i])
