cdef void _compare(
    int[:, ::1] codes, long long[::1] cost, long long seed, long long[::1] others, unsigned long long[::1] agree,
    long long[::1] hidden
) noexcept nogil
cdef void _nearest(
    long long[::1] weight, long long seed, long long[::1] others, unsigned long long[::1] agree, long long[::1] hidden,
    long long[::1] order, long long[::1] scratch, unsigned long long[::1] found
) noexcept nogil
