"""The shortfall of a histogram: how many rows it is away from its requirement, and how a row more or less changes that.

Floats: they only guide a search; whether a requirement is met is for `meets` to say.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.requirements.closeness import sum_below
    from cython.cimports.kanon_sql.kernels.requirements.criteria import most, tail, values
    from cython.cimports.kanon_sql.kernels.requirements.distance_shortfall import above_shares, too_costly, too_far
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
    from kanon_sql.kernels.requirements.distance_shortfall import above_shares, too_costly, too_far
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


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def shortfall(
    required: EncodedRequirement, work: Workspace, h: cython.longlong[::1], at: cython.longlong, rows: cython.longlong
) -> cython.double:
    """Return the shortfall of a class of some rows with the histogram ``h[at : at + V]``, summed over the criteria; 0 is none.

    ``work.added`` and ``work.removed`` are set to how much smaller it were with a row more, and with a row less, at each
    counter; a row raises one counter of each attribute.

    Notes
    -----
    O(V), more for matrices.
    """
    q: cython.longlong
    v: cython.longlong
    kind: cython.longlong
    ratio: cython.double
    short: cython.longlong = max(0, required.least - rows)
    found: cython.double = short
    for v in range(required.counters):
        work.added[v] = 0.0
        work.removed[v] = 0.0
    if rows <= required.least:
        for v in range(required.of_first):
            work.added[v] = min(1, short)
            work.removed[v] = -1.0
    for q in range(required.criteria):
        kind = required.kind[q]
        ratio = cython.cast(cython.double, required.num[q]) / required.den[q]
        if kind == EQUAL:
            found += above_shares(required, q, work, h, at, rows, ratio * required.extra[q] / 2.0)
        elif kind == FREQUENCY:
            found += _above_share(required, q, work, h, at, rows, 1.0 / ratio)
        elif kind == DISTINCT:
            found += _too_few(required, q, work, h, at)
        elif kind == ENTROPY:
            found += _too_uniform(required, q, work, h, at, rows, log(ratio))
        elif kind == RECURSIVE:
            found += _top_heavy(required, q, work, h, at, rows, ratio)
        elif kind == SHARES:
            found += _beyond_shares(required, q, work, h, at, rows)
        elif kind == COUNT:
            found += _too_rare(work, h[at + required.extra[q]], required.num[q], required.extra[q])
        elif kind == TREE:
            sum_below(required, q, work, h, at)
            found += too_far(required, q, work, rows, ratio)
        else:
            found += too_costly(required, q, work, h, at, rows, ratio)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _above_share(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.double,
    share: cython.double,
) -> cython.double:
    """Of at most a share of the rows for each value: what is above it."""
    v: cython.longlong
    over: cython.double
    now: cython.double = 0.0
    more: cython.double = 0.0
    less: cython.double = 0.0
    for v in range(required.low[q], required.high[q]):
        over = h[at + v] - share * rows
        now += max(0.0, over)
        more += max(0.0, over - share)
        less += max(0.0, over + share)
    for v in range(required.low[q], required.high[q]):
        over = h[at + v] - share * rows
        work.added[v] += now - more - min(1.0, max(0.0, over - share + 1.0))
        work.removed[v] += now - less + min(1.0, max(0.0, over + share))
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _too_few(
    required: EncodedRequirement, q: cython.longlong, work: Workspace, h: cython.longlong[::1], at: cython.longlong
) -> cython.double:
    """Of a number of values."""
    v: cython.longlong
    least: cython.longlong = required.num[q]
    found: cython.longlong = values(h, at + required.low[q], at + required.high[q])
    for v in range(required.low[q], required.high[q]):
        if h[at + v] == 0 and found < least:
            work.added[v] += 1.0
        elif h[at + v] == 1 and found <= least:
            work.removed[v] -= 1.0
    return cython.cast(cython.double, least - found) if found < least else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _too_uniform(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    least: cython.double,
) -> cython.double:
    """Of entropy, times the rows."""
    v: cython.longlong
    here: cython.double
    part: cython.double = 0.0
    for v in range(at + required.low[q], at + required.high[q]):
        part += _self_log(work, h[v])
    now: cython.double = max(0.0, part + least * rows - _self_log(work, rows))
    more: cython.double = part + least * (rows + 1) - _self_log(work, rows + 1)
    less: cython.double = part + least * (rows - 1) - _self_log(work, rows - 1)
    for v in range(required.low[q], required.high[q]):
        here = _self_log(work, h[at + v])
        work.added[v] += now - max(0.0, more - here + _self_log(work, h[at + v] + 1))
        work.removed[v] += now - max(0.0, less - here + _self_log(work, h[at + v] - 1))
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _self_log(work: Workspace, rows: cython.longlong) -> cython.double:
    """Return x log x."""
    if rows <= 0:
        return 0.0
    return work.logs[rows] if rows < work.logs.shape[0] else rows * log(rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _top_heavy(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    ratio: cython.double,
) -> cython.double:
    """Of a long tail: what the most frequent value has too much, if the same values stay ahead of the tail."""
    v: cython.longlong
    place: cython.longlong
    low: cython.longlong = required.low[q]
    high: cython.longlong = required.high[q]
    size: cython.longlong = required.extra[q]
    behind: cython.longlong = tail(work, h, at + low, at + high, rows, size)
    beyond: cython.double = most(h, at + low, at + high) - ratio * behind + 1.0 / required.den[q]
    now: cython.double = beyond if beyond > 0.0 else 0.0
    top: cython.longlong = low
    for v in range(low, high):
        if h[at + v] > h[at + top]:
            top = v
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
def _beyond_shares(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.double,
) -> cython.double:
    """Of the least and greatest shares of values: what is above the greatest, and what is below the least."""
    e: cython.longlong
    v: cython.longlong
    most: cython.double
    least: cython.double
    held: cython.double
    now: cython.double = 0.0
    more: cython.double = 0.0
    less: cython.double = 0.0
    size: cython.longlong = required.extra[q]
    start: cython.longlong = required.data_start[q]
    for e in range(start, start + size):
        held = h[at + required.data[e]]
        most = cython.cast(cython.double, required.data[e + size]) / required.data[e + 2 * size]
        least = cython.cast(cython.double, required.data[e + 3 * size]) / required.data[e + 4 * size]
        now += _outside(held, least * rows, most * rows)
        more += _outside(held, least * (rows + 1.0), most * (rows + 1.0))
        less += _outside(held, least * (rows - 1.0), most * (rows - 1.0))
    for v in range(required.low[q], required.high[q]):
        work.added[v] += now - more
        work.removed[v] += now - less
    for e in range(start, start + size):
        v = required.data[e]
        held = h[at + v]
        most = cython.cast(cython.double, required.data[e + size]) / required.data[e + 2 * size]
        least = cython.cast(cython.double, required.data[e + 3 * size]) / required.data[e + 4 * size]
        work.added[v] += _outside(held, least * (rows + 1.0), most * (rows + 1.0))
        work.added[v] -= _outside(held + 1.0, least * (rows + 1.0), most * (rows + 1.0))
        work.removed[v] += _outside(held, least * (rows - 1.0), most * (rows - 1.0))
        work.removed[v] -= _outside(held - 1.0, least * (rows - 1.0), most * (rows - 1.0))
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _outside(held: cython.double, least: cython.double, most: cython.double) -> cython.double:
    """Return how far rows are from two limits."""
    return max(0.0, held - most) + max(0.0, least - held)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _too_rare(work: Workspace, held: cython.longlong, least: cython.longlong, named: cython.longlong) -> cython.double:
    """Of a number of rows with one value."""
    if held < least:
        work.added[named] += 1.0
    if held <= least:
        work.removed[named] -= 1.0
    return max(0, least - held)
