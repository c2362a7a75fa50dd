cimport cython
from kanon_sql.kernels.arrays cimport empty_int64, full_int64, zeros_int64, zeros_uint64

cdef class _Splitter:
    cdef int[:, ::1] by_column
    cdef long long[::1] weight
    cdef long long[::1] cost
    cdef long long[::1] member
    cdef long long[::1] moved
    cdef long long[::1] local
    cdef long long[::1] rows
    cdef long long[::1] place
    cdef long long depth
    cdef long long[::1] low
    cdef long long[::1] high
    cdef unsigned long long[::1] tried
    cdef unsigned long long[::1] shown

cdef void _wait(_Splitter splitter, long long first, long long last, unsigned long long tried) noexcept nogil
@cython.locals(c=cython.longlong, values=cython.longlong, gain=cython.longlong, best=cython.longlong, best_gain=cython.longlong)
cdef long long _best_column(
    _Splitter splitter, long long first, long long last, unsigned long long tried, long long k
) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, code=cython.longlong, values=cython.longlong)
cdef long long _count_values(_Splitter splitter, long long column, long long first, long long last) noexcept nogil
@cython.locals(a=cython.longlong)
cdef void _forget_values(_Splitter splitter, long long column, long long first, long long last) noexcept nogil
@cython.locals(value=cython.longlong, least=cython.longlong, shown=cython.longlong, hidden=cython.longlong)
cdef long long _shown_rows(_Splitter splitter, long long values, long long k) noexcept nogil
@cython.locals(value=cython.longlong)
cdef long long _part(_Splitter splitter, long long column, long long i, long long k) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, part=cython.longlong, bit=cython.ulonglong, values=cython.longlong)
cdef void _split(
    _Splitter splitter, long long first, long long last, unsigned long long tried, long long column, long long k
) noexcept nogil
