"""Dominance of instances: one whose row types a permitted mask shows at less cost is not needed."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.instances.search import Search
else:
    from kanon_sql.kernels.instances.search import Search

_ONE = cython.declare(cython.ulonglong, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def many_masks(search: Search) -> cython.bint:
    """Return whether there are too many masks to compare each with all others."""
    return search.masks.shape[0] > 256


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def agree(search: Search, first: cython.longlong, last: cython.longlong, column: cython.longlong) -> cython.bint:
    """Return whether all row types of a group have the same code."""
    a: cython.longlong = first + 1
    code: cython.longlong = search.codes[search.row[first], column]
    while a < last and search.codes[search.row[a], column] == code:
        a += 1
    return a >= last


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def dominated(search: Search, first: cython.longlong, last: cython.longlong, p: cython.longlong) -> cython.bint:
    """Return whether a group could be shown whole under a permitted mask that costs less."""
    c: cython.longlong
    q: cython.longlong
    m: cython.longlong = search.codes.shape[1]
    bit: cython.ulonglong
    mask: cython.ulonglong = search.masks[p]
    more: cython.ulonglong = 0
    for c in range(m):
        bit = _ONE << (m - 1 - c)
        if mask & bit == 0 and agree(search, first, last, c):
            more |= bit
    if many_masks(search):  # the closure and its neighbours only: what is kept in vain costs time, not truth
        if more == 0:
            return False
        if _listed(search, mask | more):
            return True
        for c in range(m):
            bit = _ONE << c
            if more & bit and _listed(search, mask | bit):
                return True
        return False
    more |= mask
    for q in range(search.masks.shape[0]):
        if search.masks[q] | more == more and (search.cost[q] < search.cost[p] or (search.cost[q] == search.cost[p] and q < p)):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _listed(search: Search, mask: cython.ulonglong) -> cython.bint:
    """Return whether a mask is permitted."""
    middle: cython.longlong
    low: cython.longlong = 0
    high: cython.longlong = search.masks.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if search.masks[middle] > mask:
            low = middle + 1
        else:
            high = middle
    return low < search.masks.shape[0] and search.masks[low] == mask
