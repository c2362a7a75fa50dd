cdef void cut(
    long long[::1] weight, long long[::1] order, long long first, long long last, long long[::1] parent, long long least,
    long long k, long long[::1] head, long long[::1] rest, long long[::1] lightest
) noexcept nogil
