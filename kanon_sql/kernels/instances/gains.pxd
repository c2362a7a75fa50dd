cdef long long NEVER

cdef (long long, long long) gain(
    int[::1] member, long long first, long long last, long long[::1] rows, long long[::1] price, long long w, long long k,
    long long floor, long long[::1] top_up
) noexcept nogil
