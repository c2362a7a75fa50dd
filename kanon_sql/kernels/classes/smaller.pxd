cdef long long _open(
    GroupingWorkspace groups, SurplusSearch search, unsigned long long shown, long long p, long long k, long long[:, ::1] moves,
    long long made
) noexcept nogil
cdef long long _take_from_largest(
    SurplusSearch search, long long count, long long p, long long k, long long[:, ::1] moves, long long made
) noexcept nogil
