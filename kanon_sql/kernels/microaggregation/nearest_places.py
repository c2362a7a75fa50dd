"""The nearest places of each, and how far the k - 1 nearest rows are together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


@cython.final
@cython.cclass
class Places:
    """Different rows, in the order of the first column.

    Parameters
    ----------
    x : float64 array [p, m]
        Their numbers, 0 where there is none.
    empty : uint8 array [p, m]
        Where there is none.
    rows : int64 array [p]
        How many rows are alike.
    absolute : uint8 array [m]
        Whether the distance in a column is the difference, not its square.
    apart : float64 array [m]
        The distance between a number and none.
    """

    def __init__(
        self,
        *,
        x: NDArray[np.float64],
        empty: NDArray[np.uint8],
        rows: NDArray[np.int64],
        absolute: NDArray[np.uint8],
        apart: NDArray[np.float64],
    ) -> None:
        self.x, self.empty, self.rows, self.absolute, self.apart = x, empty, rows, absolute, apart


def nearest(places: Places, k: int, wanted: NDArray[np.uint8], kept: int, near: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return how far the k - 1 rows nearest to a row of each place are together, float64 [p]; 0 where that is not wanted.

    Parameters
    ----------
    places : Places
        p places; if some row has no number in the first column, the order tells nothing, and all are compared.
    k : int
        See above.
    wanted : uint8 array [p]
        The places whose nearest rows are requested.
    kept : int
        Nearest places that are kept, at least s; rows beyond them count as far as the last.
    near : int32 array [p, s]
        Filled with the nearest places, the nearest first, -1 where there are no more.

    Notes
    -----
    From each place the others are looked at outward, on each side until the first column alone is too far. O(m p^2) at worst.
    """
    p = len(places.rows)
    total = np.zeros(p)
    found: cython.double[::1] = total
    away: cython.double[::1] = np.empty(kept + 1)
    other: cython.longlong[::1] = np.empty(kept + 1, np.int64)
    listed: cython.int[:, ::1] = near
    requested: cython.uchar[::1] = wanted
    ordered: cython.bint = not np.asarray(places.empty)[:, 0].any()
    least: cython.longlong = k
    most: cython.longlong = kept
    with cython.nogil:
        for i in range(requested.shape[0]):
            if requested[i]:
                found[i] = _around(places, i, least, most, ordered, away, other, listed)
    return total


def _around(places, i, k, kept, ordered, away, other, near):
    """Fill the nearest places of one; return how far its k - 1 nearest rows are together."""
    total: cython.double = 0.0
    many = 0
    limit: cython.double = -1.0  # none yet
    for side in range(2):
        q = i + 1 if side else i - 1
        while 0 <= q < places.rows.shape[0]:
            if ordered and limit >= 0.0 and _apart(places, i, q, 0) >= limit:
                break
            each: cython.double = _distance(places, i, q, limit)
            if limit < 0.0 or each < limit:
                a = many if many < kept else kept - 1
                while a > 0 and away[a - 1] > each:
                    away[a] = away[a - 1]
                    other[a] = other[a - 1]
                    a -= 1
                away[a] = each
                other[a] = q
                many = min(many + 1, kept)
                if many == kept:
                    limit = away[kept - 1]
            q += 1 if side else -1
    for a in range(near.shape[1]):
        near[i, a] = other[a] if a < many else -1
    rows = places.rows[i]
    for a in range(many):
        if rows >= k:
            break
        each = min(places.rows[other[a]], k - rows)
        total += away[a] * each
        rows += places.rows[other[a]]
    return total + away[many - 1] * (k - rows) if rows < k and many else total


def _apart(places, i, q, c):
    """Return the distance of two places in one column."""
    if places.empty[i, c] or places.empty[q, c]:
        return 0.0 if places.empty[i, c] and places.empty[q, c] else places.apart[c]
    difference: cython.double = places.x[i, c] - places.x[q, c]
    if places.absolute[c]:
        return abs(difference)
    return difference * difference


def _distance(places, i, q, limit):
    """Return the distance of two places, or something that is not below the limit."""
    total: cython.double = 0.0
    for c in range(places.x.shape[1]):
        total += _apart(places, i, q, c)
        if limit >= 0.0 and total >= limit:
            break
    return total
