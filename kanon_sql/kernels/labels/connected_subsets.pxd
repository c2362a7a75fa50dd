cdef class _ConnectedSetSearch:
    cdef long long[::1] first, member
    cdef long long listed, effort
    cdef long long[::1] chosen
    cdef unsigned char[::1] inside
    cdef long long[::1] candidate
    cdef unsigned char[::1] known
    cdef long long[::1] at, end, queue
    cdef unsigned char[::1] seen

cdef bint _list_sets(_ConnectedSetSearch search, Graph graph, long long[::1] weight, long long k, long long most) noexcept
cdef bint _list_from(
    _ConnectedSetSearch search, Graph graph, long long[::1] weight, long long k, long long most, long long root
) noexcept nogil
cdef bint _keep(_ConnectedSetSearch search, long long size) noexcept nogil
cdef bint _fits(_ConnectedSetSearch search, Graph graph, long long[::1] weight, long long k, long long most) noexcept nogil
