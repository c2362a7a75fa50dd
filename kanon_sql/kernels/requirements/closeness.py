"""The distance between a class and the whole table, exact where its sums are small enough."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.requirements.encoded import EQUAL, MATRIX, TREE, EncodedRequirement, Workspace
    from cython.cimports.kanon_sql.kernels.requirements.transport import solve
else:
    from kanon_sql.kernels.requirements.encoded import EQUAL, MATRIX, TREE, EncodedRequirement, Workspace
    from kanon_sql.kernels.requirements.transport import solve

_ERROR = cython.declare(cython.double, 1e-13)
"""Relative error of a sum of floats, generously."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_close(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.bint:
    """Return whether the distance between a class and the whole table is within the threshold."""
    limit: cython.double
    distance: cython.double
    if required.kind[q] == TREE:
        sum_below(required, q, work, h, at)
    elif required.kind[q] == MATRIX:
        set_excess(required, q, work, h, at, rows)
        solve(work.transport, required.high[q] - required.low[q], required.data, required.data_start[q])
    if required.exact[q]:
        return (
            _exact_work(required, q, work, h, at, rows) * required.den[q]
            <= required.num[q] * required.extra[q] * required.rows * rows
        )
    distance = _rounded_work(required, q, work, h, at, rows)
    limit = cython.cast(cython.double, required.num[q]) * required.extra[q] * required.rows * rows
    return distance == 0.0 or distance * required.den[q] * (1.0 + _ERROR) <= limit * (1.0 - _ERROR)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _exact_work(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.longlong:
    """Return a distance times the rows of the table and of the class; sums below edges and the flow are set."""
    v: cython.longlong
    gap: cython.longlong
    size: cython.longlong = required.high[q] - required.low[q]
    data: cython.longlong = required.data_start[q]
    total: cython.longlong = data + 2 * required.edges[q]
    found: cython.longlong = 0
    if required.kind[q] == EQUAL:
        for v in range(required.low[q], required.high[q]):
            gap = required.rows * h[at + v] - rows * required.total[v]
            found += abs(gap)
    elif required.kind[q] == TREE:
        for v in range(required.edges[q]):
            gap = required.rows * work.below[v] - rows * required.data[total + v]
            found += abs(gap) * required.data[data + v]
    else:
        for v in range(size * size):
            found += work.transport.flow[v] * required.data[data + v]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rounded_work(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.double:
    """Return `_exact_work` in floats."""
    v: cython.longlong
    gap: cython.longlong
    size: cython.longlong = required.high[q] - required.low[q]
    data: cython.longlong = required.data_start[q]
    total: cython.longlong = data + 2 * required.edges[q]
    found: cython.double = 0.0
    if required.kind[q] == EQUAL:
        for v in range(required.low[q], required.high[q]):
            gap = required.rows * h[at + v] - rows * required.total[v]
            found += abs(gap)
    elif required.kind[q] == TREE:
        for v in range(required.edges[q]):
            gap = required.rows * work.below[v] - rows * required.data[total + v]
            found += cython.cast(cython.double, abs(gap)) * required.data[data + v]
    else:
        for v in range(size * size):
            found += cython.cast(cython.double, work.transport.flow[v]) * required.data[data + v]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sum_below(
    required: EncodedRequirement, q: cython.longlong, work: Workspace, h: cython.longlong[::1], at: cython.longlong
) -> cython.void:
    """Sum the counters below each edge of a tree into ``work.below``."""
    v: cython.longlong
    e: cython.longlong
    edges: cython.longlong = required.edges[q]
    low: cython.longlong = required.low[q]
    parent: cython.longlong = required.data_start[q] + edges
    leaf: cython.longlong = required.data_start[q] + 3 * edges - low
    for e in range(edges):
        work.below[e] = 0
    for v in range(low, required.high[q]):
        if h[at + v] and required.data[leaf + v] >= 0:
            work.below[required.data[leaf + v]] += h[at + v]
    for e in range(edges):
        if required.data[parent + e] >= 0:
            work.below[required.data[parent + e]] += work.below[e]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_excess(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
) -> cython.void:
    """Set the excess of a transport to what each value of a class has more than its share, times the rows of the table."""
    v: cython.longlong
    low: cython.longlong = required.low[q]
    for v in range(required.high[q] - low):
        work.transport.excess[v] = required.rows * h[at + low + v] - rows * required.total[low + v]
