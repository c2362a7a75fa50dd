cdef void _partition(
    long long[::1] weight, long long k, long long[::1] load, long long[::1] best, long long[::1] chosen
) noexcept
