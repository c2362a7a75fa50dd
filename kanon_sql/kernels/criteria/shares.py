"""Of some values at least and at most a share of the rows."""

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
    required: EncodedRequirement, q: cython.longlong, h: cython.longlong[::1], at: cython.longlong, rows: cython.longlong
) -> cython.bint:
    """Return whether each limited counter is from its least to its greatest share of the rows."""
    e: cython.longlong
    held: cython.longlong
    limits: cython.longlong = required.extra[q]
    for e in range(required.data_start[q], required.data_start[q] + limits):
        held = h[at + required.data[e]]
        if held * required.data[e + 2 * limits] > rows * required.data[e + limits]:
            return False
        if held * required.data[e + 4 * limits] < rows * required.data[e + 3 * limits]:
            return False
    return True


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
    """Return what is above the greatest shares, and what is below the least."""
    e: cython.longlong
    v: cython.longlong
    most: cython.double
    least: cython.double
    held: cython.double
    size: cython.double = rows
    now: cython.double = 0.0
    more: cython.double = 0.0
    less: cython.double = 0.0
    limits: cython.longlong = required.extra[q]
    start: cython.longlong = required.data_start[q]
    for e in range(start, start + limits):
        held = h[at + required.data[e]]
        most = cython.cast(cython.double, required.data[e + limits]) / required.data[e + 2 * limits]
        least = cython.cast(cython.double, required.data[e + 3 * limits]) / required.data[e + 4 * limits]
        now += _outside(held, least * size, most * size)
        more += _outside(held, least * (size + 1.0), most * (size + 1.0))
        less += _outside(held, least * (size - 1.0), most * (size - 1.0))
    for v in range(required.low[q], required.high[q]):
        work.added[v] += now - more
        work.removed[v] += now - less
    for e in range(start, start + limits):
        v = required.data[e]
        held = h[at + v]
        most = cython.cast(cython.double, required.data[e + limits]) / required.data[e + 2 * limits]
        least = cython.cast(cython.double, required.data[e + 3 * limits]) / required.data[e + 4 * limits]
        work.added[v] += _outside(held, least * (size + 1.0), most * (size + 1.0))
        work.added[v] -= _outside(held + 1.0, least * (size + 1.0), most * (size + 1.0))
        work.removed[v] += _outside(held, least * (size - 1.0), most * (size - 1.0))
        work.removed[v] -= _outside(held - 1.0, least * (size - 1.0), most * (size - 1.0))
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
def may_meet(
    required: EncodedRequirement,
    q: cython.longlong,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Return whether no limited counter is above its greatest share, and what the least shares miss may join."""
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
    return missing <= size - rows
