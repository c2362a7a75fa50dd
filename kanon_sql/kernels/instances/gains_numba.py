"""What an instance gains from the prices of rows: those that pay more than it costs, and the dearest others up to k."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

NEVER = np.int64(-1) << 60
"""The gain of an instance that cannot be filled, or that is not worth a closer look."""


@njit(cache=True, nogil=True)
def gain(
    member: NDArray[np.int32],
    first: int,
    last: int,
    rows: NDArray[np.int64],
    paid: NDArray[np.int64],
    w: int,
    k: int,
    floor: int | np.int64,
    filler: NDArray[np.int64],
) -> tuple[np.int64, int]:
    """Return what an instance gains, and how many row types fill it up to k rows.

    Parameters
    ----------
    member, first, last
        Its row types are ``member[first:last]``.
    rows, paid : int64 arrays [t]
        Rows of each row type that are to be had, and what each of them pays.
    w : int
        Cost of a row in the instance.
    k : int
        Least number of rows.
    floor : int
        An instance that gains no more than this may be given as `NEVER`.
    filler : int64 array [k]
        Takes the row types that fill it up, dearest first: they pay no more than ``w``. Those that pay more all belong to it.

    Notes
    -----
    O(last - first), and k more for an instance that has to be filled up.
    """
    total, found, nearest = np.int64(0), 0, NEVER
    for a in range(first, last):
        i = member[a]
        if rows[i] == 0:
            continue
        if paid[i] > w:
            total += rows[i] * (paid[i] - w)
            found += rows[i]
        elif paid[i] > nearest:
            nearest = paid[i]
    need = k - found
    if need <= 0:
        return total, 0
    if nearest == NEVER or total + need * (nearest - w) <= floor:
        return NEVER, 0
    kept = 0
    for a in range(first, last):
        i = member[a]
        if rows[i] == 0 or paid[i] > w or (kept == need and paid[i] <= paid[filler[kept - 1]]):
            continue
        place = kept if kept < need else need - 1
        kept = min(kept + 1, need)
        while place > 0 and paid[filler[place - 1]] < paid[i]:
            filler[place] = filler[place - 1]
            place -= 1
        filler[place] = i
    for place in range(kept):
        copies = min(need, rows[filler[place]])
        total += copies * (paid[filler[place]] - w)
        need -= copies
        if need == 0:
            return total, place + 1
    return NEVER, 0
