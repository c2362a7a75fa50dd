cdef void _divide(
    double[:, ::1] x, long long k, long long[::1] number, long long[::1] left, double[::1] away, double[::1] centre,
    long long[::1] nearest
) noexcept
cdef long long _farthest(
    double[:, ::1] x, long long[::1] left, long long many, double[::1] centre, double[::1] away
) noexcept nogil
cdef long long _nearest(
    long long[::1] left, long long many, double[::1] away, long long k, long long[::1] nearest, long long[::1] number,
    long long made
) noexcept nogil
