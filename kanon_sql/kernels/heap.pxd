ctypedef fused Key:
    long long
    double

cdef bint _before(Key[::1] key, long long a, long long b) noexcept nogil
cdef long long push(long long[::1] heap, Key[::1] key, long long size, long long item, Key value) noexcept nogil
cdef long long pop(long long[::1] heap, Key[::1] key, long long size) noexcept nogil
cdef void raise_first(long long[::1] heap, Key[::1] key, long long size, Key value) noexcept nogil
cdef void _sink(long long[::1] heap, Key[::1] key, long long size, long long item) noexcept nogil
