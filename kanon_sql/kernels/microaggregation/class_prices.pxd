cimport cython
from kanon_sql.kernels.arrays cimport empty_int64

from kanon_sql.kernels.merge_sort cimport sort_by_key

cdef class _ClassGainSearch:
    cdef const long long[:, ::1] distance
    cdef const long long[::1] price
    cdef long long k
    cdef long long most
    cdef long long best
    cdef long long steps
    cdef long long[:, ::1] item
    cdef long long[:, ::1] key
    cdef long long[:, ::1] gain
    cdef long long[::1] other
    cdef long long[::1] chosen
    cdef long long[::1] found

@cython.locals(
    k=cython.longlong, own=cython.longlong, nearest=cython.longlong, j=cython.longlong, share=cython.longlong,
    count=cython.longlong
)
cdef long long _around(_ClassGainSearch s, long long i) noexcept nogil
@cython.locals(
    k=cython.longlong, need=cython.longlong, a=cython.longlong, b=cython.longlong, j=cython.longlong, upper=cython.longlong,
    rest=cython.longlong, kept=cython.longlong, other=cython.longlong, key=cython.longlong
)
cdef void _grow(_ClassGainSearch s, long long depth, long long count, long long total, long long bound) noexcept nogil
