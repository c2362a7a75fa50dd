"""A greatest distance from the whole table in any metric: the cheapest transport."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.criteria.distance import may_be_within, within, within_surely
    from cython.cimports.kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement
    from cython.cimports.kanon_sql.kernels.criteria.transport import solve
else:
    from kanon_sql.kernels.criteria.distance import may_be_within, within, within_surely
    from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement
    from kanon_sql.kernels.criteria.transport import solve


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
    """Return whether the distance is within the threshold."""
    v: cython.longlong
    size: cython.longlong = required.high[q] - required.low[q]
    cost: cython.longlong = required.data_start[q]
    moved: cython.longlong = 0
    rounded: cython.double = 0.0
    _solve(required, q, work, h, at, rows)
    if required.exact[q]:
        for v in range(size * size):
            moved += work.transport.flow[v] * required.data[cost + v]
        return within(required, q, moved, rows)
    for v in range(size * size):
        rounded += cython.cast(cython.double, work.transport.flow[v]) * required.data[cost + v]
    return within_surely(required, q, rounded, rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _solve(
    required: EncodedRequirement,
    q: cython.longlong,
    work: CriteriaWorkspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.void:
    """Transport what each value of a class has more than its share, times the rows of the table, to those that have less."""
    v: cython.longlong
    low: cython.longlong = required.low[q]
    size: cython.longlong = required.high[q] - low
    for v in range(size):
        work.transport.excess[v] = required.rows * h[at + low + v] - rows * required.total[low + v]
    solve(work.transport, size, required.data, required.data_start[q])


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
    """Return how much more the transport costs: a row more or less changes that by its potential."""
    v: cython.longlong
    slope: cython.double
    low: cython.longlong = required.low[q]
    size: cython.longlong = required.high[q] - low
    ratio: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q]
    _solve(required, q, work, h, at, rows)
    scale: cython.double = 1.0 / required.extra[q]
    mean: cython.double = 0.0
    beyond: cython.double = -ratio * rows
    excess: cython.double
    for v in range(size):
        excess = work.transport.excess[v]  # as a float: C division of whole numbers truncates
        mean += work.transport.potential[v] * scale * required.share[low + v]
        beyond += work.transport.potential[v] * scale * (excess / required.rows)
    now: cython.double = max(0.0, beyond)
    for v in range(size):
        slope = work.transport.potential[v] * scale - mean - ratio
        work.added[low + v] += now - max(0.0, beyond + slope)
        work.removed[low + v] += now - max(0.0, beyond - slope)
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def may_meet(
    required: EncodedRequirement, q: cython.longlong, h: cython.longlong[::1], at: cython.longlong, size: cython.longlong
) -> cython.bint:
    """Return whether the way from each value that is too frequent to the nearest other is within the threshold; O(V^2)."""
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
    return may_be_within(required, q, found, size)
