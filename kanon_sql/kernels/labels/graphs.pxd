cdef class Graph:
    cdef long long[::1] begin, near

cdef void _shuffle(long long[::1] begin, long long[::1] near, unsigned long long[::1] state) noexcept
cdef void _search(Graph graph, long long[::1] starts, long long[::1] at, long long[::1] order, long long[::1] parent) noexcept
