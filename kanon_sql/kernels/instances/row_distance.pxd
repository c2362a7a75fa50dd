cdef void compare(
    unsigned short[:, ::1] codes,
    unsigned short[::1] cost,
    long long i,
    long long first,
    long long size,
    unsigned short[::1] away,
) noexcept nogil
