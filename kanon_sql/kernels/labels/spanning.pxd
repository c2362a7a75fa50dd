cimport cython
from kanon_sql.kernels.labels.graphs cimport Graph

@cython.locals(i=cython.longlong, v=cython.longlong, p=cython.longlong, last=cython.longlong)
cdef void _order_leaves(long long[::1] parent, long long[::1] children, long long[::1] order) noexcept
@cython.locals(
    n=cython.longlong, u=cython.longlong, v=cython.longlong, e=cython.longlong, x=cython.longlong, meet=cython.longlong,
    top=cython.longlong, tour=cython.longlong, lowered=cython.bint
)
cdef void _exchange_edges(
    Graph graph, long long[::1] parent, long long effort, long long[::1] degree, long long[::1] seen
) noexcept
@cython.locals(x=cython.longlong)
cdef bint _exchange(
    long long[::1] parent, long long[::1] degree, long long top, long long meet, long long end, long long other
) noexcept nogil
@cython.locals(i=cython.longlong, v=cython.longlong)
cdef void _root_at_leaves(long long[::1] parent, long long[::1] order, long long[::1] leaf) noexcept
@cython.locals(v=cython.longlong, below=cython.longlong, above=cython.longlong)
cdef void _hang(long long[::1] parent, long long end, long long head, long long other) noexcept nogil
