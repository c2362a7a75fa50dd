cdef void _order_leaves(long long[::1] parent, long long[::1] children, long long[::1] order) noexcept
cdef void _hang_under_leaves(long long[::1] parent, long long[::1] order, long long[::1] leaf) noexcept
cdef void hang(long long[::1] parent, long long end, long long head, long long other) noexcept nogil
