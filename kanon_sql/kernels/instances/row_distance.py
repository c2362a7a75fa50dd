"""The rows nearest to each row, by the cost of the columns in which they differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.bit_slices import Agreement, Values, compare, next_taken, take_nearest


def distances(
    values: Values, weight: cython.longlong[::1], k: cython.longlong, low: cython.longlong, high: cython.longlong
) -> NDArray[np.int64]:
    """Return how far the k-th nearest row of a row is away, itself the first, int64 [high - low].

    Parameters
    ----------
    values : Values
        Of the table.
    weight : int64 array [t]
        Rows of each row type, k or more in all.
    k : int
        Number of rows.
    low, high : int
        The requested row types.

    Notes
    -----
    O(m t / 64) words for a row type; memory O(t).
    """
    answer = np.zeros(high - low, np.int64)
    found: cython.longlong[::1] = answer
    agreement = Agreement(values)
    with cython.nogil:
        for i in range(low, high):
            rows = weight[i]
            if rows >= k:
                continue
            compare(values, agreement, i)
            while rows < k and take_nearest(agreement):
                found[i - low] = agreement.away
                j = next_taken(agreement, 0)
                while j >= 0 and rows < k:
                    rows += weight[j]
                    j = next_taken(agreement, j >> 6)
    return answer


def nearest_row_types(values: Values, low: cython.longlong, high: cython.longlong, near: cython.int[:, ::1]) -> None:
    """List the nearest row types of row types low to high - 1.

    Parameters
    ----------
    values : Values
        Of the table.
    low, high : int
        The requested row types.
    near : int32 array [t, s]
        Filled with the nearest row types, the nearest first, those that follow it first among equally near ones; -1 where
        there are no more.

    Notes
    -----
    O(m t / 64) words for a row type; memory O(t).
    """
    agreement = Agreement(values)
    with cython.nogil:
        for i in range(low, high):
            compare(values, agreement, i)
            place = 0
            while place < near.shape[1] and take_nearest(agreement):
                j = next_taken(agreement, i >> 6)
                if j < 0:
                    j = next_taken(agreement, 0)
                while j >= 0 and place < near.shape[1]:
                    near[i, place] = j
                    place += 1
                    j = next_taken(agreement, j >> 6)
                    if j < 0:
                        j = next_taken(agreement, 0)
            while place < near.shape[1]:
                near[i, place] = -1
                place += 1
