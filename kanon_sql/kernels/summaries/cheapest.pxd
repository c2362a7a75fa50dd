cimport cython
from kanon_sql.kernels.arrays cimport zeros_int64, zeros_int64_2d
from kanon_sql.kernels.summaries.measure cimport PLAIN, RANGE, Measure, Summary, clear, join

cdef class ClassSearch:
    cdef int[:, ::1] codes
    cdef long long[::1] weight
    cdef Measure measure
    cdef Summary summary
    cdef long long k
    cdef long long most
    cdef long long best
    cdef long long steps
    cdef long long[:, ::1] different
    cdef long long[:, ::1] low
    cdef long long[:, ::1] high
    cdef long long[:, ::1] item
    cdef long long[:, ::1] key
    cdef long long[::1] member

@cython.locals(a=cython.longlong, loss=cython.longlong)
cdef long long cheapest(ClassSearch search, long long i, int[::1] row_type, long long many, long long limit) noexcept nogil
@cython.locals(growth=cython.longlong, c=cython.longlong, code=cython.longlong)
cdef long long _growth(ClassSearch s, long long i) noexcept nogil
@cython.locals(
    count=cython.longlong, rows=cython.longlong, a=cython.longlong, b=cython.longlong, c=cython.longlong, i=cython.longlong,
    growth=cython.longlong, last=cython.longlong, together=cython.longlong, more=cython.longlong
)
cdef void _grow(ClassSearch s, long long depth, long long many, long long loss, long long need) noexcept nogil
@cython.locals(a=cython.longlong, b=cython.longlong, i=cython.longlong, key=cython.longlong)
cdef void _sort(ClassSearch s, long long depth, long long count) noexcept nogil
