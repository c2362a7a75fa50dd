cdef long long _drawn(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, unsigned long long[::1] state
) noexcept nogil
cdef long long _hope(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, long long i
) noexcept nogil
cdef bint _rebuild(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, long long k, long long threshold
) noexcept nogil
cdef void _adapt_prices(CandidateClasses candidates, RepairWorkspace work, long long destroyed) noexcept nogil
cdef void _unassign(Partition partition, RepairWorkspace work, long long i, long long j, long long rows) noexcept nogil
cdef void _destroy(
    CandidateClasses candidates, Partition partition, long long k, long long seed, RepairWorkspace work, unsigned long long[::1] state
) noexcept nogil
cdef void _rebuild_all(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, long long k, long long steps, double noise,
    long long threshold, unsigned long long[::1] state
) noexcept
