cimport cython
from kanon_sql.kernels.random cimport below

cdef class Graph:
    cdef long long[::1] begin
    cdef long long[::1] near

@cython.locals(v=cython.longlong, i=cython.longlong, j=cython.longlong, u=cython.longlong)
cdef void _shuffle(long long[::1] begin, long long[::1] near, unsigned long long[::1] state) noexcept
@cython.locals(
    begin=cython.longlong[::1], near=cython.longlong[::1], i=cython.longlong, v=cython.longlong, u=cython.longlong,
    visited=cython.longlong
)
cdef void _search(Graph graph, long long[::1] starts, long long[::1] at, long long[::1] order, long long[::1] parent) noexcept
