cdef double _cover(
    Selection selection, Candidates candidates, long long[::1] cost, long long chunk_first, long long chunk_last, double floor,
    long long[::1] covered, double[::1] surplus
) noexcept nogil
