cdef long long push(
    long long[::1] heap, long long[::1] key, long long size, long long item, long long value
) noexcept nogil
cdef long long pop(long long[::1] heap, long long[::1] key, long long size) noexcept nogil
cdef void raise_first(long long[::1] heap, long long[::1] key, long long size, long long value) noexcept nogil
