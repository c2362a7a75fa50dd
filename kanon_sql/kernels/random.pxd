cdef long long below(unsigned long long[::1] state, long long limit) noexcept nogil
