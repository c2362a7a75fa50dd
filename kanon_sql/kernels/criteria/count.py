"""A number of rows with one value."""

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
    """Return whether enough rows have the value."""
    return h[at + required.extra[q]] >= required.num[q]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def shortfall(
    required: EncodedRequirement, q: cython.longlong, work: CriteriaWorkspace, h: cython.longlong[::1], at: cython.longlong
) -> cython.double:
    """Return how many rows are missing."""
    named: cython.longlong = required.extra[q]
    missing: cython.longlong = required.num[q] - h[at + named]
    if missing > 0:
        work.added[named] += 1.0
    if missing >= 0:
        work.removed[named] -= 1.0
    return max(0, missing)


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
    """Return whether enough rows have the value if all the others that join have it."""
    return h[at + required.extra[q]] + size - rows >= required.num[q]
