cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64, empty_int64_2d

cdef class GroupingWorkspace:
    cdef int[:, ::1] codes
    cdef unsigned long long[::1] sets
    cdef unsigned long long[:, ::1] frequent
    cdef long long[::1] word
    cdef long long[::1] stride
    cdef int[::1] row
    cdef int[::1] slot
    cdef long long capacity
    cdef int[::1] first
    cdef long long[:, ::1] key
    cdef long long[::1] column
    cdef long long[::1] factor
    cdef long long[::1] last
    cdef long long[::1] chosen

@cython.locals(place=cython.longlong, step=cython.longlong)
cdef long long trailing_zeros(unsigned long long word) noexcept nogil
@cython.locals(
    i=cython.longlong, a=cython.longlong, c=cython.longlong, w=cython.longlong, value=cython.longlong, columns=cython.longlong,
    size=cython.longlong
)
cdef void _mark(
    int[:, ::1] codes, long long[::1] cardinality, long long[::1] weight, long long k, unsigned long long shown,
    long long[::1] column, long long[::1] key, long long[::1] count, unsigned long long[::1] bits
) noexcept nogil
@cython.locals(j=cython.longlong, w=cython.longlong, rest=cython.ulonglong, n=cython.longlong, chosen=cython.longlong)
cdef long long sift(GroupingWorkspace groups, unsigned long long[::1] alive, unsigned long long shown) noexcept nogil
@cython.locals(
    r=cython.longlong, a=cython.longlong, w=cython.longlong, h=cython.longlong, i=cython.longlong, value=cython.longlong,
    mixed=cython.ulonglong, words=cython.longlong, size=cython.longlong, shift=cython.longlong
)
cdef long long group(GroupingWorkspace groups, unsigned long long shown, long long rows) noexcept nogil
@cython.locals(c=cython.longlong, w=cython.longlong, columns=cython.longlong)
cdef void _list_columns(GroupingWorkspace groups, unsigned long long shown) noexcept nogil
@cython.locals(w=cython.longlong)
cdef bint _same_key(GroupingWorkspace groups, long long a, long long b) noexcept nogil
