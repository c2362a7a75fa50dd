"""A number of values."""

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
def meets(required: EncodedRequirement, q: cython.longlong, h: cython.longlong[::1], at: cython.longlong) -> cython.bint:
    """Return whether there are enough values."""
    return _values(h, at + required.low[q], at + required.high[q]) >= required.num[q]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _values(h: cython.longlong[::1], low: cython.longlong, high: cython.longlong) -> cython.longlong:
    """Return how many counters are above 0."""
    v: cython.longlong
    found: cython.longlong = 0
    for v in range(low, high):
        found += h[v] > 0
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def shortfall(
    required: EncodedRequirement, q: cython.longlong, work: CriteriaWorkspace, h: cython.longlong[::1], at: cython.longlong
) -> cython.double:
    """Return how many values are missing."""
    v: cython.longlong
    least: cython.longlong = required.num[q]
    found: cython.longlong = _values(h, at + required.low[q], at + required.high[q])
    for v in range(required.low[q], required.high[q]):
        if h[at + v] == 0 and found < least:
            work.added[v] += 1.0
        elif h[at + v] == 1 and found <= least:
            work.removed[v] -= 1.0
    return cython.cast(cython.double, least - found) if found < least else 0.0


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
    """Return whether there are enough values if each row that joins has a new one."""
    return _values(h, at + required.low[q], at + required.high[q]) + size - rows >= required.num[q]
