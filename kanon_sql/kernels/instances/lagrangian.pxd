cdef long long _cover(
    long long[::1] start, int[::1] member, long long w, long long[::1] weight, long long[::1] price, long long k, long long j,
    long long[::1] top_up, long long[::1] covered
) noexcept nogil
