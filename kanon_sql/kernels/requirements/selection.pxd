cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, zeros_float64, zeros_int64
from kanon_sql.kernels.criteria.dispatch cimport meets, shortfall
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.requirements.candidates cimport Candidates

cdef class Selection:
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef long long[::1] available
    cdef double[::1] price
    cdef long long[::1] end
    cdef long long[::1] part
    cdef long long[::1] direction
    cdef long long[::1] histogram
    cdef double[::1] joining
    cdef double[::1] leaving
    cdef int[::1] scratch

@cython.locals(v=cython.longlong)
cdef void clear(Selection selection) noexcept nogil
@cython.locals(
    s=cython.longlong, best=cython.longlong, moved=cython.longlong, missing=cython.double, key=cython.double, joins=cython.bint,
    help_of=cython.double, low=cython.longlong, segments=cython.longlong, gain=cython.double
)
cdef (double, long long) select(
    Selection selection, Candidates candidates, long long j, double cost, double floor, long long rows
) noexcept nogil
@cython.locals(i=cython.longlong, b=cython.longlong, g=cython.longlong, a=cython.longlong, inside=cython.longlong)
cdef (long long, double) _take_profitable(
    Selection selection, Candidates candidates, long long segment, long long s, double cost, double gain
) noexcept nogil
@cython.locals(
    s=cython.longlong, b=cython.longlong, c=cython.longlong, more=cython.double, less=cython.double, best=cython.longlong,
    joins=cython.bint, key=cython.double, help_of=cython.double
)
cdef (long long, bint, double, double) _best_move(
    Selection selection, Candidates candidates, long long low, long long segments, double cost
) noexcept nogil
@cython.locals(i=cython.longlong, b=cython.longlong, some=cython.longlong, g=cython.longlong, moved=cython.longlong)
cdef (long long, double) _move(
    Selection selection, Candidates candidates, long long segment, long long s, bint joins, long long wanted, double cost,
    double gain
) noexcept nogil
@cython.locals(i=cython.longlong)
cdef double _next(Selection selection, Candidates candidates, long long segment, long long s) noexcept nogil
cdef double _last(Selection selection, Candidates candidates, long long segment, long long s) noexcept nogil
