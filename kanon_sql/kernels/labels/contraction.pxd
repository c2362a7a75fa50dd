cdef class _Branches:
    cdef long long[::1] place, low, below, apart, root, lowest
    cdef unsigned char[::1] deep, held

cdef void _find(
    _Branches branches, Graph graph, long long[::1] weight, long long[::1] order, long long[::1] parent, long long k,
    long long[::1] lump
) noexcept
cdef void _weigh(_Branches branches, Graph graph, long long[::1] order, long long[::1] parent) noexcept nogil
cdef void _find_lowest(
    _Branches branches, long long[::1] weight, long long[::1] order, long long[::1] parent, long long k
) noexcept nogil
cdef void _label(
    _Branches branches, long long[::1] order, long long[::1] parent, long long k, long long[::1] lump
) noexcept nogil
