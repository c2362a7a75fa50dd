"""Dominance of instances: one whose row types a permitted mask shows at less cost is not needed."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython

_ONE = cython.declare(cython.ulonglong, 1)


def many_masks(search):
    """Return whether there are too many masks to compare each with all others."""
    return search.masks.shape[0] > 256


def agree(search, first, last, column):
    """Return whether all row types of a group have the same code."""
    a = first + 1
    code = search.codes[search.row[first], column]
    while a < last and search.codes[search.row[a], column] == code:
        a += 1
    return a >= last


def dominated(search, first, last, p):
    """Return whether a group could be shown whole under a permitted mask that costs less."""
    m = search.codes.shape[1]
    mask: cython.ulonglong = search.masks[p]
    more: cython.ulonglong = 0
    for c in range(m):
        bit: cython.ulonglong = _ONE << (m - 1 - c)
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


def _listed(search, mask):
    """Return whether a mask is permitted."""
    low = 0
    high = search.masks.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if search.masks[middle] > mask:
            low = middle + 1
        else:
            high = middle
    return low < search.masks.shape[0] and search.masks[low] == mask
