"""MDAV: classes of k points around those that are farthest out.

References
----------
Domingo-Ferrer, Torra: Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation (DMKD 2005), MDAV-generic.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


def divide(x: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the class of each point, dense from 0: each of k points, the last of k to 2k - 1.

    Parameters
    ----------
    x : float64 array [n, m], C-contiguous
        At least k points.
    k : int
        Points of a class.

    Notes
    -----
    Where 3k points are left, the one farthest from their mean takes its k - 1 nearest, and then the one farthest from that. Of
    equally far points the first in the order of what is left is taken. O(m n^2 / k), and O(k) for each point that comes among
    the k nearest so far.
    """
    n, m = x.shape
    found = np.zeros(n, np.int64)
    number: cython.longlong[::1] = found
    left: cython.longlong[::1] = np.arange(n)
    away: cython.double[::1] = np.empty(n)
    centre: cython.double[::1] = np.empty(m)
    nearest: cython.longlong[::1] = np.empty(k, np.int64)
    _divide(x, k, number, left, away, centre, nearest)
    return found


def _divide(x, k, number, left, away, centre, nearest):
    many = x.shape[0]
    made = 0
    with cython.nogil:
        while many >= 2 * k:
            for d in range(x.shape[1]):
                centre[d] = 0.0
                for a in range(many):
                    centre[d] += x[left[a], d]
                centre[d] /= many
            one = left[_farthest(x, left, many, centre, away)]
            for d in range(x.shape[1]):
                centre[d] = x[one, d]
            if many >= 3 * k:
                a = left[_farthest(x, left, many, centre, away)]
                many = _nearest(left, many, away, k, nearest, number, made)
                for d in range(x.shape[1]):
                    centre[d] = x[a, d]
                made += 1
            _farthest(x, left, many, centre, away)
            many = _nearest(left, many, away, k, nearest, number, made)
            made += 1
        for a in range(many):
            number[left[a]] = made


def _farthest(x, left, many, centre, away):
    """Fill how far each of the points that are left is from a centre; return the place of the farthest."""
    best = 0
    for a in range(many):
        total: cython.double = 0.0
        for d in range(x.shape[1]):
            each: cython.double = x[left[a], d] - centre[d]
            total += each * each
        away[a] = total
        if total > away[best]:
            best = a
    return best


def _nearest(left, many, away, k, nearest, number, made):
    """Make a class of the k points that are nearest; return how many are left."""
    chosen = 0
    kept = 0
    for a in range(many):
        if chosen == k and away[a] >= away[nearest[k - 1]]:
            continue
        place = chosen if chosen < k else k - 1
        while place > 0 and away[nearest[place - 1]] > away[a]:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = a
        chosen = min(chosen + 1, k)
    for a in range(k):
        number[left[nearest[a]]] = made
        left[nearest[a]] = -1
    for a in range(many):
        if left[a] >= 0:
            left[kept] = left[a]
            kept += 1
    return kept
