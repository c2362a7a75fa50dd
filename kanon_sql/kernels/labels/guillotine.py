"""Rectangles of a small grid: the lightest around each cell, and the best division by cuts from side to side.

A rectangle is the cells of the columns ``a..b`` and the rows ``c..d``, each without the last. ``before`` [p + 1, q + 1] has the
rows of the table that lie in the first so many columns and rows of the grid.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.labels.squares import plus, square

_NEVER = (1 << 62, 0)


@njit(cache=True, nogil=True)
def _rows(before: NDArray[np.int64], a: int, b: int, c: int, d: int) -> int:
    return int(before[b, d] - before[a, d] - before[b, c] + before[a, c])


@njit(cache=True, nogil=True)
def lightest_around(before: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the least rows, k or more, of a rectangle around each cell, int64 [p, q]; the whole grid must have k.

    Notes
    -----
    From the whole grid inwards: a rectangle is itself the lightest, or lies in one that is wider by a column or a row.
    O(p^2 q^2) time and memory.
    """
    p, q = before.shape[0] - 1, before.shape[1] - 1
    least = np.full((p + 2, p + 2, q + 2, q + 2), _NEVER[0], np.int64)  # a and c are counted from 1, for the neighbours
    for a in range(p):
        for b in range(p, a, -1):
            for c in range(q):
                for d in range(q, c, -1):
                    wider = min(least[a, b, c + 1, d], least[a + 1, b + 1, c + 1, d])
                    wider = min(wider, min(least[a + 1, b, c, d], least[a + 1, b, c + 1, d + 1]))
                    rows = _rows(before, a, b, c, d)
                    least[a + 1, b, c + 1, d] = min(wider, rows) if rows >= k else wider
    found = np.empty((p, q), np.int64)
    for a in range(p):
        for c in range(q):
            found[a, c] = least[a + 1, a + 1, c + 1, c + 1]
    return found


@njit(cache=True, nogil=True)
def least_squares(before: NDArray[np.int64], k: int, heaviest: int) -> tuple[bool, NDArray[np.int16]]:
    """Divide the grid into rectangles of k to ``heaviest`` rows by cuts from side to side, with the least sum of squares.

    Parameters
    ----------
    before : int64 array [p + 1, q + 1]
        Sums of the rows; below 2^62.
    k, heaviest : int
        Least and most rows of a rectangle.

    Returns
    -------
    possible : bool
        Whether there is such a division.
    cut : int16 array [p, p + 1, q, q + 1]
        The best cut of each rectangle (a, b, c, d): 0 for none, before the column m as m, before the row m as -m.

    Notes
    -----
    Dynamic programming from small rectangles to large ones; O(p^2 q^2 (p + q)) time, O(p^2 q^2) memory.
    """
    p, q = before.shape[0] - 1, before.shape[1] - 1
    cut = np.zeros((p, p + 1, q, q + 1), np.int16)
    least = np.empty((p, p + 1, q, q + 1, 2), np.int64)
    for width in range(1, p + 1):
        for height in range(1, q + 1):
            for a in range(p - width + 1):
                for c in range(q - height + 1):
                    b, d = a + width, c + height
                    rows = _rows(before, a, b, c, d)
                    best = square(rows) if k <= rows <= heaviest else _NEVER
                    for m in range(a + 1, b if rows >= 2 * k else a + 1):
                        one, other = least[a, m, c, d], least[m, b, c, d]
                        if one[0] < _NEVER[0] and other[0] < _NEVER[0]:
                            both = plus((one[0], one[1]), (other[0], other[1]))
                            if both < best:
                                best, cut[a, b, c, d] = both, m
                    for m in range(c + 1, d if rows >= 2 * k else c + 1):
                        one, other = least[a, b, c, m], least[a, b, m, d]
                        if one[0] < _NEVER[0] and other[0] < _NEVER[0]:
                            both = plus((one[0], one[1]), (other[0], other[1]))
                            if both < best:
                                best, cut[a, b, c, d] = both, -m
                    least[a, b, c, d, 0], least[a, b, c, d, 1] = best
    return bool(least[0, p, 0, q, 0] < _NEVER[0]), cut
