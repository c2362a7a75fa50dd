cimport cython
from kanon_sql.kernels.labels.graphs cimport Graph
from kanon_sql.kernels.random cimport below

@cython.locals(at=cython.longlong, e=cython.longlong, u=cython.longlong, v=cython.longlong)
cdef long long gather(
    Graph graph, long long[::1] region, long long start, long long[::1] index, long long[::1] member, long long size
) noexcept nogil
@cython.locals(found=cython.longlong, leaving=cython.longlong, i=cython.longlong, e=cython.longlong, v=cython.longlong)
cdef long long beyond(
    Graph graph, long long[::1] index, long long[::1] member, long long size, unsigned long long[::1] state
) noexcept nogil
@cython.locals(
    i=cython.longlong, e=cython.longlong, u=cython.longlong, v=cython.longlong, p=cython.longlong, found=cython.longlong,
    bushy=cython.bint
)
cdef void grow_tree(
    Graph graph, long long[::1] index, long long[::1] member, long long size, long long[::1] order, long long[::1] parent,
    long long[::1] source, long long[::1] target, unsigned long long[::1] state
) noexcept nogil
