cdef long long _visit(
    CandidateClasses candidates, Partition partition, long long seed, long long rows, unsigned long long[::1] state,
    int[::1] found, int[::1] queue, unsigned char[::1] seen
) noexcept nogil
