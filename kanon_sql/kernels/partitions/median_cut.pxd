cimport cython
from kanon_sql.kernels.arrays cimport zeros_int64
from kanon_sql.kernels.merge_sort cimport sort_by_key

cdef class _Cutter:
    cdef int[:, ::1] by_column
    cdef long long[::1] weight
    cdef long long k
    cdef long long[::1] member
    cdef long long[::1] rows
    cdef long long[::1] key
    cdef long long[::1] value
    cdef long long[::1] other
    cdef long long[::1] moved
    cdef long long cut
    cdef long long smaller

@cython.locals(
    a=cython.longlong, c=cython.longlong, v=cython.longlong, values=cython.longlong, column=cython.longlong,
    cut=cython.longlong, most=cython.longlong, total=cython.longlong
)
cdef long long _cut_part(_Cutter cutter, long long first, long long last) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, code=cython.longlong, values=cython.longlong)
cdef long long _count_values(_Cutter cutter, long long column, long long first, long long last) noexcept nogil
@cython.locals(v=cython.longlong, smaller=cython.longlong, below=cython.longlong)
cdef void _find_cut(_Cutter cutter, long long values, long long total) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, low=cython.longlong, high=cython.longlong)
cdef long long _divide(_Cutter cutter, long long first, long long last, long long column, long long cut) noexcept nogil
