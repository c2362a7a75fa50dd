cdef class GroupingWorkspace:
    cdef readonly int[:, ::1] codes
    cdef readonly unsigned long long[::1] sets
    cdef readonly unsigned long long[:, ::1] frequent
    cdef readonly long long[::1] word
    cdef readonly long long[::1] stride
    cdef readonly int[::1] row
    cdef readonly int[::1] slot
    cdef readonly long long capacity
    cdef readonly int[::1] first
    cdef readonly long long[:, ::1] key
    cdef readonly long long[::1] column
    cdef readonly long long[::1] factor
    cdef readonly long long[::1] last
    cdef readonly long long[::1] chosen

cdef long long trailing_zeros(unsigned long long word) noexcept nogil
cdef long long sift(GroupingWorkspace groups, unsigned long long[::1] alive, unsigned long long shown) noexcept nogil
cdef long long group(GroupingWorkspace groups, unsigned long long shown, long long rows) noexcept nogil
