"""Pairs and triples of rows by their reduced cost: their cost, less the prices of their rows and of their cuts.

Nothing is stored by pair: each pass prices all of them, so memory is what it finds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32_2d, empty_int64
from kanon_sql.kernels.partitions.duals import Duals, cut_prices_of_all, cut_prices_of_both
from kanon_sql.kernels.partitions.simplices import (
    FORBIDDEN,
    Simplices,
    fit,
    pair_costs,
    row_cost,
    tie_break_of_three,
    tie_break_of_two,
)

_FORBIDDEN = cython.declare(cython.longlong, FORBIDDEN)


@cython.final
@cython.cclass
class _Found:
    """The classes found, in arrays that grow.

    Parameters
    ----------
    rows : int
        Rows of a class.

    Attributes
    ----------
    size, member, reduced : int, int32 array [at least size, rows], int64 array [at least size]
        The row types of the classes, and their reduced cost.
    """

    def __init__(self, rows: int) -> None:
        self.size = 0
        self.member, self.reduced = empty_int32_2d(1024, rows), empty_int64(1024)

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the classes and their reduced cost."""
        return np.asarray(self.member)[: self.size].copy(), np.asarray(self.reduced)[: self.size].copy()


def _grow(found):
    found.member = np.concatenate([found.member, found.member])
    found.reduced = np.concatenate([found.reduced, found.reduced])
    return 0


def _add(found, reduced):
    """Add a class; return its place, where its row types have to be filled in."""
    if found.size == found.reduced.shape[0]:
        _grow(found)
    found.reduced[found.size] = reduced
    found.size += 1
    return found.size - 1


def pairs_below(
    s: Simplices,
    duals: Duals,
    slack: cython.longlong,
    limit: cython.longlong,
    start: cython.longlong,
    step: cython.longlong,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the pairs that could be, or be in, a class of a reduced cost below ``slack``.

    The price of a cut counts once for a class of which it holds one row or three, but is in the price of each row; so a pair
    inside of a cut costs twice that price more, and a triple twice the price of each cut that holds two rows or more. Without
    that, a triple costs at least half of what its pairs do. So if every pair has a reduced cost of 0 or more, then all pairs
    of a triple below ``slack`` are below twice that, even without.

    Returns
    -------
    pair : int32 array [g, 2]
        The first is every ``step``-th row type from ``start`` on, the second is not before it. When there are more than
        ``limit``, the first ``limit + 1``.
    reduced : int64 array [g]
        Reduced cost.

    Notes
    -----
    O(t^2 m).
    """
    found = _Found(2)
    agreed: cython.int[::1] = np.empty(len(s.weight), np.int32)
    row: cython.longlong[::1] = np.empty(len(s.weight), np.int64)
    a = start
    with cython.nogil:
        while a < s.weight.shape[0] and found.size <= limit:
            pair_costs(s, a, a, agreed, row)
            _find_partners(s, duals, slack, limit, a, row, found)
            a += step
    return found.arrays()


def _find_partners(s, duals, slack, limit, a, row, found):
    """Find the pairs of a row type with those not before it, at the costs ``row``, until there are more than ``limit``."""
    for b in range(a, s.weight.shape[0]):
        if row[b] >= _FORBIDDEN:
            continue
        # Chance, which is slower to find, only adds to it.
        cost = 2 * s.unit * row[b] - duals.price[a] - duals.price[b]
        if cost >= 2 * slack or not fit(s, a, b):
            continue
        cost += tie_break_of_two(s, a, b)
        if cost >= 2 * slack:
            continue
        place = _add(found, cost + 2 * cut_prices_of_both(duals, a, b))
        found.member[place, 0] = a
        found.member[place, 1] = b
        if found.size > limit:
            break
    return 0


def triples_below(
    s: Simplices,
    duals: Duals,
    slack: cython.longlong,
    limit: cython.longlong,
    first: cython.longlong[::1],
    second: cython.int[::1],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the triples of a reduced cost below ``slack``, int32 [g, 3], and it, int64 [g]; at most the first ``limit + 1``.

    Parameters
    ----------
    s, duals, slack, limit
        As in `pairs_below`; every pair has a reduced cost of 0 or more.
    first, second : int64 array [t + 1], int32 array
        The pairs found there: those of row type a are ``second[first[a] : first[a + 1]]``, ascending.

    Notes
    -----
    O(m) for every two pairs of one row type.
    """
    found = _Found(3)
    with cython.nogil:
        for a in range(first.shape[0] - 1):
            for i in range(first[a], first[a + 1]):
                for j in range(i, first[a + 1]):
                    _try_triple(s, duals, slack, a, second[i], second[j], found)
                    if found.size > limit:
                        break
                if found.size > limit:
                    break
            if found.size > limit:
                break
    return found.arrays()


def _try_triple(s, duals, slack, a, b, c, found):
    """Add a triple if its reduced cost is below ``slack``; a pairs with b and with c."""
    if not fit(s, b, c) or (a == b and b == c and s.weight[a] < 3):
        return 0
    row = row_cost(s, a, b, c)
    if row >= _FORBIDDEN:
        return 0
    cost = 3 * s.unit * row - duals.price[a] - duals.price[b] - duals.price[c]
    if cost >= slack:
        return 0
    cost += tie_break_of_three(s, a, b, c)
    twice = cut_prices_of_both(duals, a, b) + cut_prices_of_both(duals, a, c) + cut_prices_of_both(duals, b, c)
    cost += 2 * (twice - 2 * cut_prices_of_all(duals, a, b, c))
    if cost >= slack:
        return 0
    place = _add(found, cost)
    found.member[place, 0] = a
    found.member[place, 1] = b
    found.member[place, 2] = c
    return 0
