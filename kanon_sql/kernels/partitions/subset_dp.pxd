cdef void _cheapest_partition(
    long long[::1] cost, long long[::1] best, long long[::1] chosen, long long subset, long long top
) noexcept nogil
