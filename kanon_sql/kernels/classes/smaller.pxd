cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64, empty_uint8, zeros_uint64
from kanon_sql.kernels.instances.groups cimport GroupingWorkspace, group, sift
from kanon_sql.kernels.merge_sort cimport sort_by_key

cdef class _SmallerClassSearch:
    cdef long long[:, ::1] piece
    cdef long long[::1] size
    cdef unsigned long long[::1] everyone
    cdef long long[::1] gain
    cdef long long[::1] slot_rows
    cdef unsigned char[::1] slot_open
    cdef int[::1] slot_first
    cdef int[::1] after
    cdef long long[::1] member
    cdef long long[::1] other

@cython.locals(
    i=cython.longlong, h=cython.longlong, r=cython.longlong, count=cython.longlong, n=cython.longlong, slots=cython.longlong
)
cdef long long _open(
    GroupingWorkspace groups, _SmallerClassSearch search, unsigned long long shown, long long p, long long k,
    long long[:, ::1] moves, long long made
) noexcept nogil
@cython.locals(
    r=cython.longlong, i=cython.longlong, step=cython.longlong, a=cython.longlong, last=cython.longlong,
    missing=cython.longlong
)
cdef long long _take_from_largest(
    _SmallerClassSearch search, long long count, long long p, long long k, long long[:, ::1] moves, long long made
) noexcept nogil
