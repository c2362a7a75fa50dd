cdef void _reach(long long[::1] before, long long k, long long heaviest, unsigned char[::1] divisible) noexcept
cdef long long _overtakes(
    long long[::1] before, long long heaviest, long long[:, ::1] least, long long new, long long old, long long first,
    long long last
) noexcept nogil
cdef void _fill(
    long long[::1] before, long long k, long long heaviest, long long[:, ::1] least, long long[::1] start_of,
    long long[::1] queue, long long[::1] best_from
) noexcept
cdef void _trace_back(long long[::1] start_of, unsigned char[::1] starts) noexcept
