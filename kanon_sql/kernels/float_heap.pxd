cdef long long push(long long[::1] heap, double[::1] key, long long size, long long item, double value) noexcept nogil
cdef long long pop(long long[::1] heap, double[::1] key, long long size) noexcept nogil
