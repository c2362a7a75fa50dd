cdef long long _improve(
    PointPartition groups, Points points, long long k, double least, long long i, long long[::1] seen
) noexcept nogil
