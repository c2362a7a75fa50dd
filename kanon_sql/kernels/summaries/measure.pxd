cimport cython
from kanon_sql.kernels.arrays cimport full_int64, zeros_int64

cpdef enum:
    PLAIN = 0
    RANGE = 1
    SET = 2

cdef class Measure:
    cdef long long columns
    cdef bint plain
    cdef readonly long long[::1] kind
    cdef readonly long long[::1] step
    cdef readonly long long[::1] null
    cdef long long[::1] first

cdef class Summary:
    cdef long long[::1] seen
    cdef long long[::1] different
    cdef long long[::1] low
    cdef long long[::1] high

cdef long long steps(long long kind, long long different, long long low, long long high, bint has_null) noexcept nogil
@cython.locals(
    c=cython.longlong, code=cython.longlong, place=cython.longlong, kind=cython.longlong, before=cython.longlong,
    has_null=cython.bint, is_null=cython.bint, growth=cython.longlong
)
cdef long long join(Measure measure, Summary summary, int[:, ::1] codes, long long i) noexcept nogil
@cython.locals(a=cython.longlong, c=cython.longlong)
cdef void clear(
    Measure measure, Summary summary, int[:, ::1] codes, long long[::1] member, long long first, long long last
) noexcept nogil
@cython.locals(high=cython.longlong, row_loss=cython.longlong, low=cython.longlong)
cdef void _class_losses(
    int[:, ::1] codes, Measure measure, Summary summary, long long[::1] member, long long[::1] number, long long[::1] rows,
    long long[::1] loss
) noexcept nogil
