"""Whether a class that is grown to a certain size can still meet its requirement, whatever rows are found for it.

Floats, and never too strict but for their rounding: they only lead the way; whether a requirement is met is for `meets` to say.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.requirements.closeness import sum_below
    from cython.cimports.kanon_sql.kernels.requirements.criteria import most, tail, values
    from cython.cimports.kanon_sql.kernels.requirements.encoded import (
        COUNT,
        DISTINCT,
        ENTROPY,
        EQUAL,
        FREQUENCY,
        RECURSIVE,
        SHARES,
        TREE,
        EncodedRequirement,
        Workspace,
    )
    from cython.cimports.libc.math import log
else:
    from math import log

    from kanon_sql.kernels.requirements.closeness import sum_below
    from kanon_sql.kernels.requirements.criteria import most, tail, values
    from kanon_sql.kernels.requirements.encoded import (
        COUNT,
        DISTINCT,
        ENTROPY,
        EQUAL,
        FREQUENCY,
        RECURSIVE,
        SHARES,
        TREE,
        EncodedRequirement,
        Workspace,
    )

_ROUNDING = cython.declare(cython.double, 1e-9)
"""Relative error of a sum of floats, generously."""


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def may_meet(
    required: EncodedRequirement,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Return whether rows with the histogram ``h[at : at + V]`` may be in a class of ``size`` rows that meets all criteria.

    Parameters
    ----------
    required, work
        The requirement, and scratch arrays of its tests.
    h, at : int64 array, int
        The histogram.
    rows, size : int
        Rows in the histogram, and the rows of the class, as many or more.

    Notes
    -----
    The missing rows may have any values, for each criterion apart. O(V), O(V log size) for the entropy, O(V^2) for matrices.
    """
    q: cython.longlong
    kind: cython.longlong
    low: cython.longlong
    high: cython.longlong
    num: cython.longlong
    den: cython.longlong
    ratio: cython.double
    limit: cython.double
    may: cython.bint
    rest: cython.longlong = size - rows
    for q in range(required.criteria):
        kind = required.kind[q]
        low = at + required.low[q]
        high = at + required.high[q]
        num = required.num[q]
        den = required.den[q]
        ratio = cython.cast(cython.double, num) / den
        if kind == FREQUENCY:
            may = most(h, low, high) * num <= size * den
        elif kind == DISTINCT:
            may = values(h, low, high) + rest >= num
        elif kind == ENTROPY:
            may = size * log(size) - _least_part(h, low, high, rest, size) >= size * log(ratio) - _ROUNDING * size
        elif kind == RECURSIVE:
            may = most(h, low, high) * den < num * (tail(work, h, low, high, rows, required.extra[q]) + rest)
        elif kind == SHARES:
            may = _may_be_within(required, q, h, at, rest, size)
        elif kind == COUNT:
            may = h[at + required.extra[q]] + rest >= num
        else:
            limit = ratio * required.extra[q] * size * (1.0 + _ROUNDING)
            if kind == EQUAL:
                may = 2.0 * _above_shares(required, q, h, at, size) <= limit
            elif kind == TREE:
                sum_below(required, q, work, h, at)
                may = _across_edges(required, q, work, rest, size) <= limit
            else:
                may = _moved(required, q, h, at, size) <= limit
        if not may:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_be_within(
    required: EncodedRequirement,
    q: cython.longlong,
    h: cython.longlong[::1],
    at: cython.longlong,
    rest: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Return whether no limited counter is above its greatest share, and what is below the least shares is at most ``rest``."""
    e: cython.longlong
    held: cython.longlong
    least: cython.longlong
    limits: cython.longlong = required.extra[q]
    missing: cython.longlong = 0
    for e in range(required.data_start[q], required.data_start[q] + limits):
        held = h[at + required.data[e]]
        if held * required.data[e + 2 * limits] > size * required.data[e + limits]:
            return False
        least = (size * required.data[e + 3 * limits] + required.data[e + 4 * limits] - 1) // required.data[e + 4 * limits]
        missing += max(0, least - held)
    return missing <= rest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_part(
    h: cython.longlong[::1], low: cython.longlong, high: cython.longlong, rest: cython.longlong, size: cython.longlong
) -> cython.double:
    """Return the least sum of x log x over the counters after ``rest`` rows more: the lowest are filled to one level."""
    v: cython.longlong
    x: cython.longlong
    middle: cython.longlong
    needed: cython.longlong
    level: cython.longlong = 0
    above: cython.longlong = size + 1
    left: cython.longlong = rest
    part: cython.double = 0.0
    while above - level > 1:
        middle = (level + above) // 2
        needed = 0
        for v in range(low, high):
            needed += max(0, middle - h[v])
        if needed <= rest:
            level = middle
        else:
            above = middle
    for v in range(low, high):
        left -= max(0, level - h[v])
    for v in range(low, high):
        x = max(h[v], level)
        if left and x == level:
            x += 1
            left -= 1
        if x > 1:
            part += x * log(x)
    return part


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _above_shares(
    required: EncodedRequirement, q: cython.longlong, h: cython.longlong[::1], at: cython.longlong, size: cython.longlong
) -> cython.double:
    """Return what is above the shares of the whole table."""
    v: cython.longlong
    found: cython.double = 0.0
    for v in range(required.low[q], required.high[q]):
        found += max(0.0, h[at + v] - required.share[v] * size)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _across_edges(
    required: EncodedRequirement, q: cython.longlong, work: Workspace, rest: cython.longlong, size: cython.longlong
) -> cython.double:
    """Return what has to cross the edges of a tree at least."""
    e: cython.longlong
    over: cython.double
    length: cython.longlong = required.data_start[q]
    first: cython.longlong = required.share_start[q]
    found: cython.double = 0.0
    for e in range(required.edges[q]):
        over = work.below[e] - required.share[first + e] * size
        found += max(over, -over - rest, 0.0) * required.data[length + e]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _moved(
    required: EncodedRequirement, q: cython.longlong, h: cython.longlong[::1], at: cython.longlong, size: cython.longlong
) -> cython.double:
    """Return what the values that are too frequent cost at least: each the way to the next value."""
    u: cython.longlong
    v: cython.longlong
    over: cython.double
    way: cython.longlong
    low: cython.longlong = required.low[q]
    values_of: cython.longlong = required.high[q] - low
    first: cython.longlong = required.data_start[q]
    found: cython.double = 0.0
    for v in range(values_of):
        over = h[at + low + v] - required.share[low + v] * size
        if over > 0.0:
            way = -1
            for u in range(values_of):
                if u != v and (way < 0 or required.data[first + v * values_of + u] < way):
                    way = required.data[first + v * values_of + u]
            if way > 0:
                found += over * way
    return found
