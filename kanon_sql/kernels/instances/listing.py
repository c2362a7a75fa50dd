"""Every useful pattern instance of a table, depth first over the columns: show or hide, and only groups that still matter.

The search is that of iceberg cubes: showing a column splits a group by its values, hiding it keeps the group; a group
with fewer than k rows, or whose cheapest completion is too expensive for all of its rows, is dropped with all that follows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.dominance import agree, dominated, many_masks
from kanon_sql.kernels.instances.search import Search, keep, wait
from kanon_sql.kernels.instances.split import least_cost, limit_of_any, limit_of_k_rows, split

_ONE = cython.declare(cython.ulonglong, 1)


def expect(search: Search, price_limit: cython.longlong[::1]) -> None:
    """Tell a search from which cost on an instance is of no use to a row type, int64 [t]: it looks at less."""
    search.price_limit[:] = price_limit


def set_prices(search: Search, price: NDArray[np.int64], by_price: NDArray[np.int32]) -> None:
    """Set the price of a row of each row type before a search begins, int64 [t]: it lists the instances that gain from it.

    A class of k rows or more gains something if, and only if, the k highest prices of its rows exceed their cost.
    ``by_price`` are the row types by price, the highest first, int32 [t].
    """
    search.price_limit = price
    np.asarray(search.row)[: len(price)] = by_price
    search.priced = True


def advance(search: Search, work: cython.longlong) -> int:
    """Go on for about ``work`` row types of the groups looked at; return 1 at the end, 0 before it, -1 beyond the limit.

    Notes
    -----
    O(members of all groups looked at) until the end.
    """
    state: cython.int
    with cython.nogil:
        state = _list_some(search, work)
    return state


def found(search: Search) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return what a search has listed at its end, without what is of no use by now.

    Returns
    -------
    start : int64 array [j + 1]
        Where the members of each instance begin.
    member : int32 array
        Row types, ``start[j]`` to ``start[j + 1] - 1``.
    mask : int32 array [j]
        The mask of each instance.
    """
    if not search.priced:
        with cython.nogil:
            _drop_useless(search)
    return (
        np.asarray(search.start)[: search.found + 1].copy(),
        np.asarray(search.member)[: search.size],
        np.asarray(search.mask)[: search.found].copy(),
    )


def _list_some(search, work):
    """Work off the groups that wait; return 1 if none is left, 0 if some are, -1 if there are too many members."""
    while search.waiting:
        if work <= 0:
            return 0
        search.waiting -= 1
        first = search.stack[search.waiting, 0]
        last = search.stack[search.waiting, 1]
        work -= last - first
        top = (
            limit_of_k_rows(search, first, last) if search.priced else limit_of_any(search.price_limit, search.row, first, last)
        )
        p = _decide(search, top)
        if p < 0 or search.cost[p] >= top or dominated(search, first, last, p):
            continue
        if not search.priced:
            for a in range(first, last):
                i = search.row[a]
                search.price_limit[i] = min(search.price_limit[i], search.cost[p] + search.slack)
        if search.slack == 0:  # nothing costs less than the cheapest: only its cost is requested
            continue
        if search.size + last - first > search.limit:
            return -1
        keep(search, first, last, p)
    return 1


def _decide(search, top):
    """Decide columns of the group behind those that wait; return its mask, -1 if it was split or costs ``top`` or more."""
    m = search.codes.shape[1]
    first = search.stack[search.waiting, 0]
    last = search.stack[search.waiting, 1]
    column = cython.cast(cython.longlong, search.stack[search.waiting, 2])
    low = search.stack[search.waiting, 3]
    high = search.stack[search.waiting, 4]
    while column < m:
        if least_cost(search, low, high) >= top:
            return -1
        middle = _first_hiding(search, low, high, _ONE << (m - 1 - column))
        if middle == high:  # every mask shows it
            split(search, first, last, column, low, high)
            return -1
        if middle > low:
            if not (high - middle == middle - low and many_masks(search) and agree(search, first, last, column)):
                wait(search, first, last, column + 1, middle, high)
                split(search, first, last, column, low, middle)
                return -1
            high = middle  # hiding what all of them share anyway is dominated
        column += 1
    return low


def _first_hiding(search, low, high, bit):
    """Return where, among masks in descending order that agree on all higher bits, the first without ``bit`` stands."""
    while low < high:
        middle = (low + high) >> 1
        if search.masks[middle] & bit:
            low = middle + 1
        else:
            high = middle
    return low


def _drop_useless(search):
    """Drop what was listed before a cheaper instance was found, and is of no use by now."""
    last = 0
    kept = 0
    size = 0
    for j in range(search.found):
        first = last
        last = search.start[j + 1]
        if search.cost[search.mask[j]] < limit_of_any(search.price_limit, search.member, first, last):
            search.mask[kept] = search.mask[j]
            for a in range(first, last):
                search.member[size] = search.member[a]
                size += 1
            kept += 1
            search.start[kept] = size
    search.found = kept
    search.size = size
