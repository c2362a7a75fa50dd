"""The shortfall of the distances between a class and the whole table; see `shortfall`."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.requirements.closeness import set_excess
    from cython.cimports.kanon_sql.kernels.requirements.encoded import EncodedRequirement, Workspace
    from cython.cimports.kanon_sql.kernels.requirements.transport import solve
else:
    from kanon_sql.kernels.requirements.closeness import set_excess
    from kanon_sql.kernels.requirements.encoded import EncodedRequirement, Workspace
    from kanon_sql.kernels.requirements.transport import solve


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def above_shares(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.double,
    slack: cython.double,
) -> cython.double:
    """Return the shortfall of the equal distance: what is above the shares of the whole table, all values together."""
    v: cython.longlong
    over: cython.double
    share: cython.double
    here: cython.double = -slack * rows
    more: cython.double = -slack * (rows + 1.0)
    less: cython.double = -slack * (rows - 1.0)
    for v in range(required.low[q], required.high[q]):
        share = required.share[v]
        over = h[at + v] - share * rows
        here += max(0.0, over)
        more += max(0.0, over - share)
        less += max(0.0, over + share)
    now: cython.double = max(0.0, here)
    for v in range(required.low[q], required.high[q]):
        share = required.share[v]
        over = h[at + v] - share * rows
        work.added[v] += now - max(0.0, more + min(1.0, max(0.0, over - share + 1.0)))
        work.removed[v] += now - max(0.0, less - min(1.0, max(0.0, over + share)))
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def too_far(
    required: EncodedRequirement, q: cython.longlong, work: Workspace, rows: cython.double, ratio: cython.double
) -> cython.double:
    """Return the shortfall of a distance along a tree: a row more or less also changes what is below all edges above it."""
    e: cython.longlong
    v: cython.longlong
    up: cython.longlong
    long: cython.double
    share: cython.double
    over: cython.double
    own: cython.double
    edges: cython.longlong = required.edges[q]
    length: cython.longlong = required.data_start[q]
    leaf: cython.longlong = length + 3 * edges - required.low[q]
    here: cython.double = 0.0
    all_more: cython.double = 0.0
    all_less: cython.double = 0.0
    scale: cython.double = 1.0 / required.extra[q]
    for e in range(edges - 1, -1, -1):  # parents first
        long = required.data[length + e] * scale
        share = required.share[required.share_start[q] + e]
        over = work.below[e] - share * rows
        here += long * abs(over)
        all_more += long * abs(over - share)
        all_less += long * abs(over + share)
        work.more[e] = long * (abs(over - share + 1.0) - abs(over - share))
        work.less[e] = long * (abs(over + share - 1.0) - abs(over + share))
        up = required.data[length + edges + e]
        if up >= 0:
            work.more[e] += work.more[up]
            work.less[e] += work.less[up]
    now: cython.double = max(0.0, here - ratio * rows)
    for v in range(required.low[q], required.high[q]):
        e = required.data[leaf + v]
        own = work.more[e] if e >= 0 else 0.0
        work.added[v] += now - max(0.0, all_more + own - ratio * (rows + 1.0))
        own = work.less[e] if e >= 0 else 0.0
        work.removed[v] += now - max(0.0, all_less + own - ratio * (rows - 1.0))
    return now


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def too_costly(
    required: EncodedRequirement,
    q: cython.longlong,
    work: Workspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    ratio: cython.double,
) -> cython.double:
    """Return the shortfall of any other metric: a row more or less changes the cost of the transport by its potential."""
    v: cython.longlong
    slope: cython.double
    low: cython.longlong = required.low[q]
    size: cython.longlong = required.high[q] - low
    set_excess(required, q, work, h, at, rows)
    solve(work.transport, size, required.data, required.data_start[q])
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
