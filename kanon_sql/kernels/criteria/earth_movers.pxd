cdef class Transport:
    cdef long long[::1] excess, flow, potential, left, price, distance, before, done, ordered
    cdef long long sources

cdef void solve(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
cdef void _order(Transport work, long long v) noexcept nogil
cdef long long _nearest_deficit(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
cdef void _augment(Transport work, long long v, long long target) noexcept nogil
cdef void _set_potential(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
