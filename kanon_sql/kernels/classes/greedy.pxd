cdef long long _take(
    GroupingWorkspace groups, long long[::1] weight, unsigned long long shown, long long p, unsigned long long[::1] alive,
    long long k, long long[::1] slot_rows, int[::1] taken
) noexcept nogil
