cimport cython
from kanon_sql.kernels.arrays cimport empty_int64, full_int64, zeros_int64, zeros_uint64
from kanon_sql.kernels.criteria.dispatch cimport meets
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

cdef class _Split:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef int[:, ::1] column
    cdef long long[::1] weight
    cdef long long[::1] cost
    cdef unsigned long long[::1] shown
    cdef long long[::1] member
    cdef long long[::1] moved
    cdef long long depth
    cdef long long[::1] low
    cdef long long[::1] high
    cdef unsigned long long[::1] tried
    cdef long long[::1] local
    cdef long long[::1] stays
    cdef long long[::1] rows
    cdef long long[::1] place
    cdef long long[::1] start
    cdef long long[::1] histogram

@cython.locals(a=cython.longlong, i=cython.longlong, value=cython.longlong, each=cython.longlong)
cdef void _sort(
    _Split state, long long c, long long first, long long last, long long values, unsigned long long tried
) noexcept nogil
@cython.locals(a=cython.longlong, code=cython.longlong, values=cython.longlong)
cdef long long _number(_Split state, long long c, long long first, long long last) noexcept nogil
@cython.locals(a=cython.longlong)
cdef void _forget(_Split state, long long c, long long first, long long last) noexcept nogil
@cython.locals(
    value=cython.longlong, least=cython.longlong, counters=cython.longlong, shown=cython.longlong, hidden=cython.longlong,
    rest=cython.longlong
)
cdef long long _kept_rows(_Split state, long long c, long long first, long long last, long long values) noexcept nogil
@cython.locals(
    a=cython.longlong, b=cython.longlong, i=cython.longlong, at=cython.longlong, value=cython.longlong,
    counters=cython.longlong, many=cython.longlong
)
cdef long long _count(_Split state, long long c, long long first, long long last, long long values) noexcept nogil
@cython.locals(v=cython.longlong)
cdef void _add(_Split state, long long source, long long target) noexcept nogil
