cdef void _measure(int[:, ::1] by_column, int[::1] cost, long long center, int[::1] distance) noexcept nogil
cdef void _add_distances(int[::1] codes, int own, int step, int[::1] distance) noexcept nogil
cdef void _best_ball(
    int[::1] distance, long long[::1] weight, long long[::1] left, long long k, long long[:, ::1] rows, long long[::1] best
) noexcept nogil
cdef long long _least_hiding(
    int[:, ::1] codes, int[::1] cost, long long[::1] rows, long long[::1] near, long long[::1] common, long long columns,
    long long[::1] extra, long long[::1] rank
) noexcept nogil
cdef long long _still_common(
    int[:, ::1] codes, long long own, long long i, long long[::1] common, long long columns
) noexcept nogil
