cimport cython

@cython.locals(i=cython.longlong, v=cython.longlong, p=cython.longlong, last=cython.longlong)
cdef void _order_leaves(long long[::1] parent, long long[::1] children, long long[::1] order) noexcept
@cython.locals(i=cython.longlong, v=cython.longlong)
cdef void _hang_under_leaves(long long[::1] parent, long long[::1] order, long long[::1] leaf) noexcept
@cython.locals(v=cython.longlong, below=cython.longlong, above=cython.longlong)
cdef void hang(long long[::1] parent, long long end, long long head, long long other) noexcept nogil
