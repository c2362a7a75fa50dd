cimport cython
from kanon_sql.kernels.arrays cimport empty_int64, full_int64
from kanon_sql.kernels.labels.graphs cimport Graph
from kanon_sql.kernels.labels.random_trees cimport beyond, gather, grow_tree
from kanon_sql.kernels.labels.tree_cut cimport cut
from kanon_sql.kernels.random cimport below

cdef class _Union:
    cdef long long size
    cdef long long[::1] member
    cdef long long[::1] index
    cdef long long regions
    cdef long long[::1] name
    cdef long long[::1] weight
    cdef long long[::1] order
    cdef long long[::1] parent
    cdef long long[::1] source
    cdef long long[::1] target
    cdef long long[::1] head
    cdef long long[::1] part
    cdef long long[::1] rest
    cdef long long[::1] lightest

@cython.locals(
    n=cython.longlong, heaviest=cython.longlong, v=cython.longlong, i=cython.longlong, rows=cython.longlong,
    least=cython.longlong, above=cython.longlong
)
cdef void _recut(
    _Union union, Graph graph, long long[::1] weight, long long k, long long goal, long long[::1] region, long long[::1] total,
    long long effort, unsigned long long[::1] state, long long shift
) noexcept
@cython.locals(v=cython.longlong, first=cython.longlong)
cdef long long _heaviest(long long[::1] total) noexcept nogil
@cython.locals(i=cython.longlong, rows=cython.longlong, wanted=cython.longlong)
cdef long long _unite(
    _Union union, Graph graph, long long[::1] weight, long long[::1] region, long long[::1] total, long long v,
    unsigned long long[::1] state
) noexcept nogil
@cython.locals(i=cython.longlong, u=cython.longlong, most=cython.longlong, old=cython.longlong)
cdef long long _heaviest_after(_Union union, long long[::1] total, long long heaviest) noexcept nogil
@cython.locals(i=cython.longlong, rows=cython.longlong, change=cython.longlong)
cdef bint _squares_fall(_Union union, long long[::1] total, long long shift) noexcept nogil
@cython.locals(i=cython.longlong)
cdef void _replace(_Union union, long long[::1] region, long long[::1] total) noexcept nogil
