cdef class GroupingWorkspace:
    cdef int[:, ::1] codes
    cdef unsigned long long[::1] sets
    cdef unsigned long long[:, ::1] frequent
    cdef long long[::1] word, stride
    cdef int[::1] row, slot
    cdef long long capacity
    cdef int[::1] first
    cdef long long[:, ::1] key
    cdef long long[::1] column, factor, last, chosen

cdef long long trailing_zeros(unsigned long long word) noexcept nogil
cdef void _mark(
    int[:, ::1] codes, long long[::1] cardinality, long long[::1] weight, long long k, unsigned long long shown,
    long long[::1] column, long long[::1] key, long long[::1] count, unsigned long long[::1] bits
) noexcept nogil
cdef long long sift(GroupingWorkspace groups, unsigned long long[::1] alive, unsigned long long shown) noexcept nogil
cdef long long group(GroupingWorkspace groups, unsigned long long shown, long long rows) noexcept nogil
cdef void _list_columns(GroupingWorkspace groups, unsigned long long shown) noexcept nogil
cdef bint _same_key(GroupingWorkspace groups, long long a, long long b) noexcept nogil
cdef unsigned long long _mix(unsigned long long mixed, unsigned long long value) noexcept nogil
