cdef long long gather(
    Graph graph, long long[::1] region, long long start, long long[::1] index, long long[::1] member, long long size
) noexcept nogil
cdef long long beyond(
    Graph graph, long long[::1] index, long long[::1] member, long long size, unsigned long long[::1] state
) noexcept nogil
cdef void grow_tree(
    Graph graph, long long[::1] index, long long[::1] member, long long size, long long[::1] order, long long[::1] parent,
    long long[::1] source, long long[::1] target, unsigned long long[::1] state
) noexcept nogil
