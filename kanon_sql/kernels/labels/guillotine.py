"""Rectangles of a small grid: the lightest around each cell, and the best partition by cuts from side to side.

A rectangle is the cells of the columns ``a..b`` and the rows ``c..d``, each without the last. ``before`` [p + 1, q + 1] has the
rows of the table that lie in the first so many columns and rows of the grid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.labels.two_word_sums import less, plus, square

_NEVER = cython.declare(cython.longlong, 1 << 62)
"""Above the rows of any rectangle, and above the first word of any sum of squares."""


def _rows(before, a, b, c, d):
    return before[b, d] - before[a, d] - before[b, c] + before[a, c]


def lightest_around(before: cython.longlong[:, ::1], k: cython.longlong) -> NDArray[np.int64]:
    """Return the least rows, k or more, of a rectangle around each cell, int64 [p, q]; the whole grid must have k.

    Notes
    -----
    From the whole grid inwards: a rectangle is itself the lightest, or lies in one that is wider by a column or a row.
    O(p^2 q^2) time and memory.
    """
    p, q = before.shape[0] - 1, before.shape[1] - 1
    least = np.full((p + 2, p + 2, q + 2, q + 2), 1 << 62, np.int64)
    _lightest(before, k, least)
    cells = np.arange(1, p + 1), np.arange(1, q + 1)
    return least[cells[0][:, None], cells[0][:, None], cells[1], cells[1]]


def _lightest(before, k, least):
    """Fill ``least`` with the lightest rectangle around each; a and c are counted from 1, for the neighbours."""
    p = before.shape[0] - 1
    q = before.shape[1] - 1
    with cython.nogil:
        for a in range(p):
            for b in range(p, a, -1):
                for c in range(q):
                    for d in range(q, c, -1):
                        found = min(least[a, b, c + 1, d], least[a + 1, b + 1, c + 1, d])
                        found = min(found, least[a + 1, b, c, d], least[a + 1, b, c + 1, d + 1])
                        rows = _rows(before, a, b, c, d)
                        if rows >= k:
                            found = min(found, rows)
                        least[a + 1, b, c + 1, d] = found


def least_squares_cuts(
    before: cython.longlong[:, ::1], k: cython.longlong, heaviest: cython.longlong
) -> tuple[bool, NDArray[np.int16]]:
    """Partition the grid into rectangles of k to ``heaviest`` rows by cuts from side to side, with the least sum of squares.

    Parameters
    ----------
    before : int64 array [p + 1, q + 1]
        Sums of the rows; below 2^62.
    k, heaviest : int
        Least and most rows of a rectangle.

    Returns
    -------
    possible : bool
        Whether there is such a partition.
    cut : int16 array [p, p + 1, q, q + 1]
        The best cut of each rectangle (a, b, c, d): 0 for none, before the column m as m, before the row m as -m.

    Notes
    -----
    Dynamic programming from small rectangles to large ones; O(p^2 q^2 (p + q)) time, O(p^2 q^2) memory.
    """
    p, q = before.shape[0] - 1, before.shape[1] - 1
    cut = np.zeros((p, p + 1, q, q + 1), np.int16)
    least = np.empty((p, p + 1, q, q + 1, 2), np.int64)
    _fill(before, k, heaviest, least, cut)
    return bool(least[0, p, 0, q, 0] < 1 << 62), cut


def _fill(before, k, heaviest, least, cut):
    """Fill ``least`` with the least sum of squares of each rectangle, and ``cut``."""
    p = before.shape[0] - 1
    q = before.shape[1] - 1
    with cython.nogil:
        for width in range(1, p + 1):
            for height in range(1, q + 1):
                for a in range(p - width + 1):
                    for c in range(q - height + 1):
                        _choose(before, k, heaviest, least, cut, a, a + width, c, c + height)


def _choose(before, k, heaviest, least, cut, a, b, c, d):
    """Choose the best cut of a rectangle, none if that is as good."""
    chosen = 0
    best: tuple[cython.longlong, cython.longlong] = (_NEVER, 0)
    rows = _rows(before, a, b, c, d)
    if k <= rows <= heaviest:
        best = square(rows)
    if rows >= 2 * k:
        for m in range(a + 1, b):
            one: tuple[cython.longlong, cython.longlong] = (least[a, m, c, d, 0], least[a, m, c, d, 1])
            other: tuple[cython.longlong, cython.longlong] = (least[m, b, c, d, 0], least[m, b, c, d, 1])
            if one[0] < _NEVER and other[0] < _NEVER:
                both: tuple[cython.longlong, cython.longlong] = plus(one, other)
                if less(both, best):
                    best = both
                    chosen = m
        for m in range(c + 1, d):
            one = (least[a, b, c, m, 0], least[a, b, c, m, 1])
            other = (least[a, b, m, d, 0], least[a, b, m, d, 1])
            if one[0] < _NEVER and other[0] < _NEVER:
                both = plus(one, other)
                if less(both, best):
                    best = both
                    chosen = -m
    least[a, b, c, d, 0] = best[0]
    least[a, b, c, d, 1] = best[1]
    cut[a, b, c, d] = chosen
