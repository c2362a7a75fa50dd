"""The test whether a class meets its requirement, and the counts of histograms that criteria are about."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.requirements.closeness import is_close
    from cython.cimports.kanon_sql.kernels.requirements.encoded import (
        COUNT,
        DISTINCT,
        ENTROPY,
        FREQUENCY,
        RECURSIVE,
        SHARES,
        EncodedRequirement,
        Workspace,
    )
    from cython.cimports.libc.math import log
else:
    from math import log

    from kanon_sql.kernels.requirements.closeness import is_close
    from kanon_sql.kernels.requirements.encoded import (
        COUNT,
        DISTINCT,
        ENTROPY,
        FREQUENCY,
        RECURSIVE,
        SHARES,
        EncodedRequirement,
        Workspace,
    )

_ERROR = cython.declare(cython.double, 1e-13)
"""Relative error of a sum of logarithms, generously."""


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def meets(
    required: EncodedRequirement, work: Workspace, h: cython.longlong[::1], at: cython.longlong, rows: cython.longlong
) -> cython.bint:
    """Return whether a class of some rows with the histogram ``h[at : at + V]`` meets all criteria; O(V), more for matrices."""
    q: cython.longlong
    kind: cython.longlong
    low: cython.longlong
    high: cython.longlong
    num: cython.longlong
    den: cython.longlong
    met: cython.bint
    if rows < required.least:
        return False
    for q in range(required.criteria):
        kind = required.kind[q]
        low = at + required.low[q]
        high = at + required.high[q]
        num = required.num[q]
        den = required.den[q]
        if kind == FREQUENCY:
            met = most(h, low, high) * num <= rows * den
        elif kind == DISTINCT:
            met = values(h, low, high) >= num
        elif kind == ENTROPY:
            met = _diverse(h, low, high, rows, num, den)
        elif kind == RECURSIVE:
            met = most(h, low, high) * den < num * tail(work, h, low, high, rows, required.extra[q])
        elif kind == SHARES:
            met = _within(required, q, h, at, rows)
        elif kind == COUNT:
            met = h[at + required.extra[q]] >= num
        else:
            met = is_close(required, q, work, h, at, rows)
        if not met:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most(h: cython.longlong[::1], low: cython.longlong, high: cython.longlong) -> cython.longlong:
    """Return the greatest counter."""
    v: cython.longlong
    found: cython.longlong = 0
    for v in range(low, high):
        found = max(found, h[v])
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def values(h: cython.longlong[::1], low: cython.longlong, high: cython.longlong) -> cython.longlong:
    """Return how many counters are above 0."""
    v: cython.longlong
    found: cython.longlong = 0
    for v in range(low, high):
        found += h[v] > 0
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def tail(
    work: Workspace,
    h: cython.longlong[::1],
    low: cython.longlong,
    high: cython.longlong,
    rows: cython.longlong,
    size: cython.longlong,
) -> cython.longlong:
    """Return the rows behind the ``size - 1`` greatest counters, whose places in ``h`` are put into ``work.top``."""
    v: cython.longlong
    place: cython.longlong
    kept: cython.longlong = 0
    behind: cython.longlong = rows
    for v in range(low, high):
        if kept == size - 1 and (kept == 0 or h[v] <= h[work.top[kept - 1]]):
            continue
        place = kept if kept < size - 1 else kept - 1
        kept = min(kept + 1, size - 1)
        while place > 0 and h[work.top[place - 1]] < h[v]:
            work.top[place] = work.top[place - 1]
            place -= 1
        work.top[place] = v
    for place in range(kept):
        behind -= h[work.top[place]]
    return behind


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _within(
    required: EncodedRequirement, q: cython.longlong, h: cython.longlong[::1], at: cython.longlong, rows: cython.longlong
) -> cython.bint:
    """Return whether each limited counter is from its least to its greatest share of the rows."""
    e: cython.longlong
    held: cython.longlong
    size: cython.longlong = required.extra[q]
    for e in range(required.data_start[q], required.data_start[q] + size):
        held = h[at + required.data[e]]
        if held * required.data[e + 2 * size] > rows * required.data[e + size]:
            return False
        if held * required.data[e + 4 * size] < rows * required.data[e + 3 * size]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _diverse(
    h: cython.longlong[::1],
    low: cython.longlong,
    high: cython.longlong,
    rows: cython.longlong,
    num: cython.longlong,
    den: cython.longlong,
) -> cython.bint:
    """Return whether the entropy is at least log(num / den)."""
    v: cython.longlong
    part: cython.double = 0.0
    size: cython.double
    found: cython.longlong = 0
    least: cython.longlong = rows
    greatest: cython.longlong = 0
    for v in range(low, high):
        if h[v]:
            part += h[v] * log(h[v])
            found += 1
            least = min(least, h[v])
            greatest = max(greatest, h[v])
    if least == greatest:  # the entropy is log of the number of values, exactly
        return found * den >= num
    size = part + rows * (log(rows) + log(num) + log(den) + 1.0)
    return rows * (log(rows) - log(num) + log(den)) - part > _ERROR * size
