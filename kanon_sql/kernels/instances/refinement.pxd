cdef long long _refine(
    int[::1] codes, long long[::1] weight, long long k, int[::1] member, long long first, long long last, long long[::1] total,
    long long[::1] place, long long[::1] here, int[::1] found, long long[::1] begin, long long[::1] rows, long long classes
) noexcept nogil
