cimport cython
from kanon_sql.kernels.microaggregation.groups cimport PointPartition, Points, class_near, put, take, weigh
from kanon_sql.kernels.microaggregation.new_classes cimport RebuildWorkspace, grow
from kanon_sql.kernels.random cimport below

@cython.locals(
    attempt=cython.longlong, i=cython.longlong, a=cython.longlong, place=cython.longlong, known=cython.bint,
    limit=cython.longlong, c=cython.longlong, total=cython.longlong
)
cdef void _choose(PointPartition groups, Points points, RebuildWorkspace work, unsigned long long[::1] state) noexcept nogil
@cython.locals(a=cython.longlong, d=cython.longlong, value=cython.double, saved=cython.double)
cdef double _saved(PointPartition groups, RebuildWorkspace work) noexcept nogil
@cython.locals(a=cython.longlong, d=cython.longlong, c=cython.longlong)
cdef void _replace(PointPartition groups, RebuildWorkspace work) noexcept nogil
