cdef long long _rows(long long[:, ::1] before, long long a, long long b, long long c, long long d) noexcept nogil
cdef void _lightest(long long[:, ::1] before, long long k, long long[:, :, :, ::1] least) noexcept
cdef void _fill(
    long long[:, ::1] before, long long k, long long heaviest, long long[:, :, :, :, ::1] least, short[:, :, :, ::1] cut
) noexcept
cdef void _choose(
    long long[:, ::1] before, long long k, long long heaviest, long long[:, :, :, :, ::1] least, short[:, :, :, ::1] cut,
    long long a, long long b, long long c, long long d
) noexcept nogil
