cdef long long _open(
    GroupingWorkspace groups, SurplusSearch search, unsigned long long shown, long long cost, long long p, long long k,
    long long[:, ::1] moves, long long made
) noexcept nogil
cdef long long _take_cheapest(
    SurplusSearch search, long long count, long long cost, long long p, long long k, long long[:, ::1] moves, long long made
) noexcept nogil
