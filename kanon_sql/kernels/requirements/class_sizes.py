"""What one instance gains at most from a class of so many rows and no more, where whole rows keep limits on an attribute.

Multipliers for all sizes, as in `kanon_sql.kernels.requirements.lagrangian`, let a class have parts of rows. In a small class
whole rows are far fewer: a third of five rows is one. Here each size has a multiplier of its own, and the rows of a set of
values are penalized from the first whole row on that is beyond the share of the set, that one in part. Where each share is a
limit of its own, whole rows keep it without a penalty.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int32_2d, zeros_int64, zeros_int64_2d
from kanon_sql.kernels.requirements.limits import Limits, set_penalties

_BITS = cython.declare(cython.longlong, 16)
"""Lengths and parts of rows and classes are whole numbers of 1/65536."""

_HALVINGS = cython.declare(cython.longlong, 8)
"""Multipliers that are tried for a size after the first; each halves what is left between the least and the greatest."""

_NONE = cython.declare(cython.longlong, -(1 << 62))
"""Profit of a row that a class may not have."""


@cython.final
@cython.cclass
class ClassSizes:
    """The best rows of one instance by the e sets of values of a limit; each thread needs its own.

    Parameters
    ----------
    limits : Limits
        The first is about sets of single values; in each other one, about the same attribute, each share is a limit of its own.
    largest : int
        Most rows of a class that is tried.

    Attributes
    ----------
    profit, item : int64 array [e + 1, largest], int32 array
        The price less the cost of the best rows of each set, highest first, and their row types; last come rows in no set.
    held : int64 array [e + 1]
        How many there are.
    free, over, most_of : int64 arrays [largest + 1, e + 1]
        For each size the rows of each set that are not penalized, the part of the next one that is, in 1/65536, rounded down,
        and the most rows that the limits allow a set if no other one is beyond its share.
    same, place : int64 arrays
        For each set of all limits that of the first one with the same value, -1 for none and in the first itself; and how many
        rows of it the limit allows a class of the largest size.
    penalty, next, order, taken : int64 arrays [e + 1]
        Of the class that is tried: the penalty on a row, the profit of the next row of each set after it, the sets by
        that, the most first, and how many rows of them it has.
    size, multiplier : int
        Of the best class.
    slope : int
        How far the last class that was tried is below, or where negative beyond, what the limit allows, in 1/65536.
    last : int
        The profit of its last row after penalties, the least of all.
    value : int64 array [largest + 1]
        What a class of each size gains, or, where that was less than another one, a number that is not less.
    """

    def __init__(self, limits: Limits, largest: int) -> None:
        edges = int(limits.begin[1])
        size = np.arange(largest + 1)[:, None]
        share, denominator = size * np.asarray(limits.numerator)[:edges], limits.denominator[0]
        free, over = np.full((largest + 1, edges + 1), largest, np.int64), np.zeros((largest + 1, edges + 1), np.int64)
        free[:, :-1] = share // denominator
        over[:, :-1] = ((denominator - share % denominator) << 16) // denominator
        most_of, length = free.copy(), np.asarray(limits.length)[:edges]
        if limits.most[0] >= 0:
            beyond = np.where(length > 0, ((limits.most[0] * size + 1) << 16) - 1, 1 << 62)
            most_of[:, :-1] += np.maximum(0, (beyond // np.maximum(1, length) - over[:, :-1] + (1 << 16)) >> 16)
        leaf, numerator = np.asarray(limits.leaf), np.asarray(limits.numerator)
        same, place = np.full(len(numerator), -1, np.int64), np.zeros(len(numerator), np.int64)
        for q in range(1, len(leaf)):
            both = np.flatnonzero((leaf[0] >= 0) & (leaf[q] >= 0))
            allowed = size * numerator[leaf[q, both]] // limits.denominator[q]
            most_of[:, leaf[0, both]] = np.minimum(most_of[:, leaf[0, both]], allowed)
            same[leaf[q, both]], place[leaf[q, both]] = leaf[0, both], allowed[largest]
        self.same, self.place = same, place
        self.largest, self.edges, self.free, self.over, self.most_of = largest, edges, free, over, most_of
        self.profit, self.item = zeros_int64_2d(edges + 1, largest), zeros_int32_2d(edges + 1, largest)
        self.held, self.taken = zeros_int64(edges + 1), zeros_int64(edges + 1)
        self.next, self.penalty = zeros_int64(edges + 1), zeros_int64(edges + 1)
        self.order, self.value = zeros_int64(edges + 1), zeros_int64(largest + 1)
        self.length, self.most = np.append(length, 0), limits.most[0]
        self.size, self.multiplier, self.slope, self.last = 0, 0, 0, 0


def gather(limits, candidates, relaxed, sizes, price, j):
    """Read the best rows of an instance; return how many rows it has. O(items, and rows that are among the best)."""
    rows = 0
    sizes.held[:] = 0
    for s in range(candidates.begin[j], candidates.begin[j + 1]):
        e = limits.leaf[0, candidates.counter[candidates.group[s], limits.attribute[0]]]
        if e < 0:
            e = sizes.edges
        for a in range(candidates.first[s], candidates.first[s + 1]):
            i = candidates.item[a]
            rows += relaxed.weight[i]
            profit = price[i] - relaxed.cost[j]
            c = sizes.held[e]
            while c > 0 and sizes.profit[e, c - 1] < profit:
                c -= 1
            copies = min(relaxed.weight[i], sizes.largest - c)
            sizes.held[e] = min(sizes.held[e] + copies, sizes.largest)
            for n in range(sizes.held[e] - 1, c + copies - 1, -1):
                sizes.profit[e, n] = sizes.profit[e, n - copies]
                sizes.item[e, n] = sizes.item[e, n - copies]
            for n in range(c, c + copies):
                sizes.profit[e, n] = profit
                sizes.item[e, n] = cython.cast(cython.int, i)
    return rows


def gain_of(sizes, size, multiplier):
    """Return what the best class of some size gains after penalties, with what it gets back; it is taken. O(size e)."""
    off = 0
    gained = 0
    for e in range(sizes.edges + 1):
        sizes.taken[e] = 0
        sizes.penalty[e] = (multiplier * sizes.length[e]) >> _BITS
        sizes.next[e] = _next(sizes, size, e, 0)
        _place(sizes, e, e)
    for _ in range(size):
        e = sizes.order[0]
        if sizes.next[e] == _NONE:
            return _NONE
        sizes.last = sizes.next[e]
        gained += sizes.last
        sizes.taken[e] += 1
        sizes.next[e] = _next(sizes, size, e, sizes.taken[e])
        n = 0
        while n < sizes.edges and _before(sizes, sizes.order[n + 1], e):
            sizes.order[n] = sizes.order[n + 1]
            n += 1
        sizes.order[n] = e
    if sizes.most < 0:
        return gained
    for e in range(sizes.edges):
        c = sizes.taken[e] - sizes.free[size, e]
        if c > 0:
            off += ((((c - 1) << _BITS) + sizes.over[size, e]) * sizes.length[e]) >> _BITS
    sizes.slope = sizes.most * size - off
    return gained + (((multiplier * sizes.most - 1) >> _BITS) + 1) * size


def _place(sizes, e, n):
    """Put a set among the first n, which are in the order of the profits of their next rows."""
    while n > 0 and _before(sizes, e, sizes.order[n - 1]):
        sizes.order[n] = sizes.order[n - 1]
        n -= 1
    sizes.order[n] = e


def _before(sizes, a, b):
    return sizes.next[a] > sizes.next[b] or (sizes.next[a] == sizes.next[b] and a < b)


def _next(sizes, size, e, c):
    """Return the profit of row c of a set after penalties in a class of some size; _NONE where the class may not have it."""
    if c >= sizes.held[e] or c >= sizes.most_of[size, e]:
        return _NONE
    if c < sizes.free[size, e]:
        return sizes.profit[e, c]
    if c > sizes.free[size, e]:
        return sizes.profit[e, c] - sizes.penalty[e]
    return sizes.profit[e, c] - ((sizes.penalty[e] * sizes.over[size, e]) >> _BITS)


def try_size(sizes, size, start, longest, best):
    """Return the most gained so far, ``best`` before, after one more size was tried; this is kept if it gains more.

    The first multiplier is ``start``. Each further one halves what is left between 0 and ``longest``: it is greater where the
    class of the last one was beyond the limit. The size is left as soon as it gains no more than the best.
    """
    low = 0
    high = longest
    at = start
    lowest_at = start
    lowest = gain_of(sizes, size, start)
    if sizes.most >= 0:
        for _ in range(_HALVINGS):
            if lowest <= best or sizes.slope == 0:
                break
            if sizes.slope < 0:
                low = at
            else:
                high = at
            at = (low + high) // 2
            gained = gain_of(sizes, size, at)
            if gained < lowest:
                lowest, lowest_at = gained, at
    sizes.value[size] = lowest
    if lowest <= best:
        return best
    sizes.size, sizes.multiplier = size, lowest_at
    return lowest


def penalize_larger(sizes, limits, penalties, start, longest):
    """Set multipliers for classes of more rows, by the best one of the largest size; return whether there is one.

    The next row of each set beyond its share is penalized as far as its profit exceeds that of the last row of that class, and
    may be; the sets of the other limits penalize what is left of that.
    """
    try_size(sizes, sizes.largest, start, longest, _NONE)
    if sizes.value[sizes.largest] == _NONE:
        return False
    gain_of(sizes, sizes.largest, sizes.multiplier)
    penalties.multiplier[:] = 0
    for e in range(sizes.edges):
        place = sizes.free[sizes.largest, e]
        if place < sizes.held[e]:
            penalties.multiplier[e] = max(0, sizes.profit[e, place] - sizes.last)
        if sizes.most >= 0:
            penalties.multiplier[e] = min(penalties.multiplier[e], sizes.penalty[e])
    for f in range(sizes.edges, penalties.edges):
        e = sizes.same[f]
        if e >= 0 and sizes.place[f] < sizes.held[e]:
            penalties.multiplier[f] = max(0, sizes.profit[e, sizes.place[f]] - sizes.last - penalties.multiplier[e])
    penalties.multiplier[penalties.edges] = sizes.multiplier if sizes.most >= 0 else 0
    set_penalties(limits, penalties)
    penalties.multiplier[penalties.edges + limits.most.shape[0]] = max(0, -sizes.last - penalties.back)
    return True
