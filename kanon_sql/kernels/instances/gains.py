"""What an instance gains from the prices of rows: those whose price exceeds its cost, and the most expensive others up to k."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython

NEVER = cython.declare(cython.longlong, -(1 << 60))
"""The gain of an instance that cannot be filled, or that gains too little for a closer test."""


def gain(member, first, last, rows, price, w, k, floor, top_up):
    """Return what an instance gains, and how many row types fill it up to k rows.

    Parameters
    ----------
    member, first, last
        Its row types are ``member[first:last]``.
    rows, price : int64 arrays [t]
        Available rows of each row type, and the price of a row.
    w : int
        Cost of a row in the instance.
    k : int
        Least number of rows.
    floor : int
        An instance that gains no more than this may be given as `NEVER`.
    top_up : int64 array [k]
        Takes the row types that fill it up, the highest price first, at most ``w``. Rows of a higher price all belong to it.

    Notes
    -----
    O(last - first), and k more for an instance that has to be filled up.
    """
    total = 0
    found = 0
    nearest = NEVER
    for a in range(first, last):  # without branches: which prices exceed w is not to be foreseen
        i = member[a]
        above = price[i] - w
        covered = rows[i] if above > 0 else 0
        total += covered * above
        found += covered
        above = NEVER if (above > 0) | (rows[i] == 0) else price[i]
        nearest = above if above > nearest else nearest
    need = k - found
    if need <= 0:
        return total, 0
    if nearest == NEVER or total + need * (nearest - w) <= floor:
        return NEVER, 0
    kept = 0
    least = NEVER
    for a in range(first, last):
        i = member[a]
        if price[i] <= least or price[i] > w or rows[i] == 0:
            continue
        place = kept if kept < need else need - 1
        kept = min(kept + 1, need)
        while place > 0 and price[top_up[place - 1]] < price[i]:
            top_up[place] = top_up[place - 1]
            place -= 1
        top_up[place] = i
        if kept == need:
            least = price[top_up[kept - 1]]
    for place in range(kept):
        copies = min(need, rows[top_up[place]])
        total += copies * (price[top_up[place]] - w)
        need -= copies
        if need == 0:
            return total, place + 1
    return NEVER, 0
