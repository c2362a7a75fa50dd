cimport cython
from kanon_sql.kernels.arrays cimport empty_int64, empty_uint8, zeros_int64, zeros_uint8
from kanon_sql.kernels.labels.graphs cimport Graph

cdef class _ConnectedSetSearch:
    cdef long long[::1] first
    cdef long long[::1] member
    cdef long long listed
    cdef long long effort
    cdef long long[::1] chosen
    cdef unsigned char[::1] inside
    cdef long long[::1] candidate
    cdef unsigned char[::1] known
    cdef long long[::1] at
    cdef long long[::1] end
    cdef long long[::1] queue
    cdef unsigned char[::1] seen

@cython.locals(root=cython.longlong, complete=cython.bint)
cdef bint _list_sets(_ConnectedSetSearch search, Graph graph, long long[::1] weight, long long k, long long most) noexcept
@cython.locals(
    level=cython.longlong, rows=cython.longlong, v=cython.longlong, u=cython.longlong, e=cython.longlong, last=cython.longlong
)
cdef bint _list_from(
    _ConnectedSetSearch search, Graph graph, long long[::1] weight, long long k, long long most, long long root
) noexcept nogil
@cython.locals(i=cython.longlong, begin=cython.longlong)
cdef bint _keep(_ConnectedSetSearch search, long long size) noexcept nogil
@cython.locals(
    start=cython.longlong, i=cython.longlong, v=cython.longlong, u=cython.longlong, e=cython.longlong, size=cython.longlong,
    rows=cython.longlong
)
cdef bint _fits(_ConnectedSetSearch search, Graph graph, long long[::1] weight, long long k, long long most) noexcept nogil
