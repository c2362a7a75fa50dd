cdef class _Union:
    cdef long long size
    cdef long long[::1] member, index
    cdef long long regions
    cdef long long[::1] name, weight, order, parent, source, target, head, part, rest, lightest

cdef void _recut(
    _Union union, Graph graph, long long[::1] weight, long long k, long long goal, long long[::1] region, long long[::1] total,
    long long effort, unsigned long long[::1] state, long long shift
) noexcept
cdef long long _heaviest(long long[::1] total) noexcept nogil
cdef long long _unite(
    _Union union, Graph graph, long long[::1] weight, long long[::1] region, long long[::1] total, long long v,
    unsigned long long[::1] state
) noexcept nogil
cdef long long _heaviest_after(_Union union, long long[::1] total, long long heaviest) noexcept nogil
cdef bint _squares_fall(_Union union, long long[::1] total, long long shift) noexcept nogil
cdef void _replace(_Union union, long long[::1] region, long long[::1] total) noexcept nogil
