cimport cython
from kanon_sql.kernels.labels.graphs cimport Graph
from kanon_sql.kernels.labels.spanning cimport hang
from kanon_sql.kernels.random cimport below

cdef class _Tree:
    cdef Graph graph
    cdef long long[::1] parent, degree, top_node, place, first, second, mark
    cdef long long top, tops, turn

@cython.locals(v=cython.longlong)
cdef void _count_degrees(_Tree tree) noexcept
@cython.locals(v=cython.longlong)
cdef void _list_tops(_Tree tree) noexcept
@cython.locals(last=cython.longlong)
cdef void _change_degree(_Tree tree, long long v, long long change) noexcept nogil
@cython.locals(v=cython.longlong, u=cython.longlong, size=cython.longlong)
cdef bint _walk(_Tree tree, long long effort, unsigned long long[::1] state) noexcept
@cython.locals(e=cython.longlong, u=cython.longlong)
cdef long long _neighbour(_Tree tree, long long v, long long number) noexcept nogil
@cython.locals(i=cython.longlong, ends=cython.longlong, others=cython.longlong)
cdef long long _divide(_Tree tree, long long v, long long u) noexcept nogil
@cython.locals(x=cython.longlong, y=cython.longlong, e=cython.longlong)
cdef long long _visit(_Tree tree, long long[::1] queue, long long i, long long end, long long mark) noexcept nogil
@cython.locals(
    queue=cython.longlong[::1], mark=cython.longlong, visited=cython.longlong, best=cython.longlong, equals=cython.longlong,
    inner=cython.longlong, outer=cython.longlong, i=cython.longlong, x=cython.longlong, y=cython.longlong, e=cython.longlong,
    load=cython.longlong, other=cython.longlong, cost=cython.longlong, head=cython.longlong
)
cdef long long _join(_Tree tree, long long v, long long u, long long size, unsigned long long[::1] state) noexcept nogil
