cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64, empty_uint8
from kanon_sql.kernels.instances.groups cimport GroupingWorkspace, group, sift
from kanon_sql.kernels.merge_sort cimport sort_by_key

cdef class _CheaperClassSearch:
    cdef long long[:, ::1] piece
    cdef long long[::1] surplus
    cdef long long[::1] gain
    cdef long long[::1] slot_rows
    cdef unsigned char[::1] slot_expensive
    cdef int[::1] slot_first
    cdef int[::1] after
    cdef long long[::1] member
    cdef long long[::1] other

@cython.locals(
    i=cython.longlong, h=cython.longlong, r=cython.longlong, count=cython.longlong, shown=cython.ulonglong,
    cost=cython.longlong, n=cython.longlong, size=cython.longlong
)
cdef long long _open(
    GroupingWorkspace groups, _CheaperClassSearch search, unsigned long long[::1] everyone, long long[:, ::1] patterns,
    long long p, long long k, long long[:, ::1] moves, long long made
) noexcept nogil
@cython.locals(
    r=cython.longlong, i=cython.longlong, gain=cython.longlong, step=cython.longlong, a=cython.longlong, last=cython.longlong,
    rows=cython.longlong, saved=cython.longlong
)
cdef long long _take_cheapest(
    _CheaperClassSearch search, long long count, long long cost, long long p, long long k, long long[:, ::1] moves,
    long long made
) noexcept nogil
