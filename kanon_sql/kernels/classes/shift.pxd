cdef class _CheaperClassSearch:
    cdef long long[:, ::1] piece
    cdef long long[::1] surplus, gain, slot_rows
    cdef unsigned char[::1] slot_expensive
    cdef int[::1] slot_first, after
    cdef long long[::1] member, other

cdef long long _open(
    GroupingWorkspace groups, _CheaperClassSearch search, unsigned long long[::1] everyone, long long[:, ::1] patterns,
    long long p, long long k, long long[:, ::1] moves, long long made
) noexcept nogil
cdef long long _take_cheapest(
    _CheaperClassSearch search, long long count, long long cost, long long p, long long k, long long[:, ::1] moves,
    long long made
) noexcept nogil
