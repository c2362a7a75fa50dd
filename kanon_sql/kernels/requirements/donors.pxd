cimport cython
from kanon_sql.kernels.arrays cimport zeros_float64, zeros_int64
from kanon_sql.kernels.criteria.dispatch cimport meets, shortfall
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

cdef class Donors:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef int[::1] group
    cdef long long[::1] copies
    cdef long long[::1] number
    cdef long long[::1] order
    cdef long long[::1] first
    cdef long long[::1] extra
    cdef long long[::1] rows
    cdef long long[::1] histogram
    cdef int[:, ::1] counter
    cdef long long[::1] gives
    cdef long long[::1] at
    cdef double[::1] score
    cdef double[::1] removes

@cython.locals(best=cython.longlong, missing=cython.double, joined=cython.longlong)
cdef long long _repair(Donors donors, long long[::1] histogram, long long rows) noexcept nogil
@cython.locals(b=cython.longlong)
cdef void _count(Donors donors, long long[::1] histogram, long long at, long long q, long long rows) noexcept nogil
@cython.locals(
    g=cython.longlong, b=cython.longlong, q=cython.longlong, c=cython.longlong, more=cython.double, best=cython.longlong,
    key=cython.double
)
cdef long long _surplus(Donors donors) noexcept nogil
@cython.locals(found=cython.bint, at=cython.longlong)
cdef bint _may_give(Donors donors, long long q, long long c) noexcept nogil
@cython.locals(q=cython.longlong, cheapest=cython.longlong, reached=cython.double, joined=cython.longlong, best=cython.longlong)
cdef long long _dissolve(Donors donors, long long[::1] histogram, double missing) noexcept nogil
@cython.locals(
    c=cython.longlong, v=cython.longlong, cost=cython.longlong, least=cython.longlong, counters=cython.longlong,
    cheapest=cython.longlong
)
cdef long long _score(Donors donors) noexcept nogil
@cython.locals(c=cython.longlong, best=cython.longlong)
cdef long long _best_score(Donors donors) noexcept nogil
@cython.locals(v=cython.longlong, rows=cython.longlong)
cdef long long _join(Donors donors, long long[::1] histogram, long long c) noexcept nogil
