"""Recursive diversity: the most frequent value has less than c times the rows of the rarest ones."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement
else:
    from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def meets(
    required: EncodedRequirement,
    q: cython.longlong,
    work: CriteriaWorkspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.bint:
    """Return whether the most frequent value has less than c times the rows of the tail."""
    low: cython.longlong = at + required.low[q]
    high: cython.longlong = at + required.high[q]
    behind: cython.longlong = _tail(work, h, low, high, rows, required.extra[q])
    return h[_top(h, low, high)] * required.den[q] < required.num[q] * behind


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _top(h: cython.longlong[::1], low: cython.longlong, high: cython.longlong) -> cython.longlong:
    """Return the place of the greatest counter, of equal ones the first."""
    v: cython.longlong
    found: cython.longlong = low
    for v in range(low, high):
        if h[v] > h[found]:
            found = v
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tail(
    work: CriteriaWorkspace,
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
def shortfall(
    required: EncodedRequirement,
    q: cython.longlong,
    work: CriteriaWorkspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.double:
    """Return what the most frequent value has too much, if the same values stay ahead of the tail."""
    v: cython.longlong
    place: cython.longlong
    low: cython.longlong = required.low[q]
    high: cython.longlong = required.high[q]
    size: cython.longlong = required.extra[q]
    ratio: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q]
    behind: cython.longlong = _tail(work, h, at + low, at + high, rows, size)
    top: cython.longlong = _top(h, at + low, at + high) - at
    beyond: cython.double = h[at + top] - ratio * behind + 1.0 / required.den[q]
    now: cython.double = beyond if beyond > 0.0 else 0.0
    for v in range(low, high):
        work.added[v] += now - max(0.0, beyond - ratio)
        work.removed[v] += now - max(0.0, beyond + ratio)
    for place in range(min(size - 1, high - low)):
        v = work.top[place] - at
        work.added[v] -= now - max(0.0, beyond - ratio)
        work.removed[v] -= now - max(0.0, beyond + ratio)
    own: cython.double = ratio if size == 1 else 0.0
    work.added[top] += max(0.0, beyond - own) - max(0.0, beyond + 1.0 - own)
    work.removed[top] += max(0.0, beyond + own) - max(0.0, beyond - 1.0 + own)
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def may_meet(
    required: EncodedRequirement,
    q: cython.longlong,
    work: CriteriaWorkspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Return whether the tail is long enough if all rows that join are in it."""
    low: cython.longlong = at + required.low[q]
    high: cython.longlong = at + required.high[q]
    behind: cython.longlong = _tail(work, h, low, high, rows, required.extra[q]) + size - rows
    return h[_top(h, low, high)] * required.den[q] < required.num[q] * behind
