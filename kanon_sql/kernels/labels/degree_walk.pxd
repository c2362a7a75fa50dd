cdef class _Tree:
    cdef Graph graph
    cdef long long[::1] parent, degree, top_node, place, first, second, mark
    cdef long long top, tops, turn

cdef void _count_degrees(_Tree tree) noexcept
cdef void _list_tops(_Tree tree) noexcept
cdef void _change_degree(_Tree tree, long long v, long long change) noexcept nogil
cdef bint _walk(_Tree tree, long long effort, unsigned long long[::1] state) noexcept
cdef long long _neighbour(_Tree tree, long long v, long long number) noexcept nogil
cdef long long _divide(_Tree tree, long long v, long long u) noexcept nogil
cdef long long _visit(_Tree tree, long long[::1] queue, long long i, long long end, long long mark) noexcept nogil
cdef long long _join(_Tree tree, long long v, long long u, long long size, unsigned long long[::1] state) noexcept nogil
