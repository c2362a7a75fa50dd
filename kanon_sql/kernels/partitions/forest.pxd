cdef class Forest:
    cdef long long k, edges
    cdef long long[:, ::1] edge
    cdef long long[::1] rows, above

cdef long long _small(Forest forest, long long[::1] found) noexcept nogil
cdef long long _root(Forest forest, long long i) noexcept nogil
cdef bint _join(
    Forest forest, long long[::1] order, unsigned long long[::1] key, int[:, ::1] block, long long[::1] shown
) noexcept nogil
cdef bint _alike(int[:, ::1] block, long long[::1] shown, long long i, long long j) noexcept nogil
cdef void _cut(
    long long[::1] order, long long[::1] parent, long long[::1] weight, long long k, long long[::1] part,
    long long[::1] joined, long long[::1] head, long long[::1] tail, long long[::1] following, long long[::1] rest
) noexcept nogil
cdef void _put(
    long long first, long long[::1] following, long long[::1] weight, long long[::1] part, long long[::1] joined,
    long long number
) noexcept nogil
cdef void _orient(
    long long[:, ::1] edge, long long[::1] roots, long long[::1] first, long long[::1] following, long long[::1] order,
    long long[::1] parent
) noexcept nogil
