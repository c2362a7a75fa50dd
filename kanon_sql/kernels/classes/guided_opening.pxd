cdef void _open_all(
    CandidateClasses candidates, Partition partition, long long k, long long floor, long long[::1] unassigned,
    long long[::1] price, int[::1] fallback, long long[::1] top_up, long long[::1] heap, long long[::1] key
) noexcept nogil
cdef void _join(
    CandidateClasses candidates, Partition partition, long long k, long long j, long long[::1] unassigned, long long[::1] price,
    long long[::1] top_up, long long topped_up
) noexcept nogil
