cdef class _SmallerClassSearch:
    cdef long long[:, ::1] piece
    cdef long long[::1] size
    cdef unsigned long long[::1] everyone
    cdef long long[::1] gain, slot_rows
    cdef unsigned char[::1] slot_open
    cdef int[::1] slot_first, after
    cdef long long[::1] member, other

cdef long long _open(
    GroupingWorkspace groups, _SmallerClassSearch search, unsigned long long shown, long long p, long long k,
    long long[:, ::1] moves, long long made
) noexcept nogil
cdef long long _take_from_largest(
    _SmallerClassSearch search, long long count, long long p, long long k, long long[:, ::1] moves, long long made
) noexcept nogil
