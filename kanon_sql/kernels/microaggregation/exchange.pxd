cimport cython
from kanon_sql.kernels.microaggregation.groups cimport PointPartition, Points, class_near, put, swapped, take, weigh, with_unit, without_unit

@cython.locals(
    s=cython.longlong, b=cython.longlong, j=cython.longlong, place=cython.longlong, saved=cython.double, before=cython.double,
    a=cython.longlong, best=cython.double, to=cython.longlong, other=cython.longlong, without=cython.double
)
cdef long long _improve(
    PointPartition groups, Points points, long long k, double least, long long i, long long[::1] seen
) noexcept nogil
