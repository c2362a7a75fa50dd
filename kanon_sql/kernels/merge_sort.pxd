cdef void sort_by_key(long long[::1] item, long long count, long long[::1] key, long long[::1] other) noexcept nogil
