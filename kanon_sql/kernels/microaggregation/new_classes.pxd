cimport cython
from kanon_sql.kernels.arrays cimport empty_float64, empty_int64
from kanon_sql.kernels.microaggregation.groups cimport PointPartition
from kanon_sql.kernels.random cimport below

cdef class RebuildWorkspace:
    cdef long long k
    cdef long long[::1] chosen
    cdef long long many
    cdef long long[::1] dissolved
    cdef long long[::1] number
    cdef long long points
    cdef long long[::1] size
    cdef double[:, ::1] sums
    cdef long long made
    cdef long long[::1] free
    cdef long long unused
    cdef double[::1] centre

@cython.locals(
    a=cython.longlong, d=cython.longlong, p=cython.longlong, at=cython.longlong, best=cython.double, each=cython.double,
    rest=cython.longlong
)
cdef void grow(PointPartition groups, RebuildWorkspace work, unsigned long long[::1] state) noexcept nogil
@cython.locals(d=cython.longlong)
cdef void _join(PointPartition groups, RebuildWorkspace work, long long a, long long p) noexcept nogil
@cython.locals(
    a=cython.longlong, d=cython.longlong, away=cython.double, most=cython.double, drawn=cython.longlong, at=cython.longlong
)
cdef long long _start(
    PointPartition groups, RebuildWorkspace work, long long rest, unsigned long long[::1] state
) noexcept nogil
@cython.locals(a=cython.longlong, away=cython.double, at=cython.longlong, least=cython.double)
cdef long long _nearest(PointPartition groups, RebuildWorkspace work) noexcept nogil
@cython.locals(d=cython.longlong, each=cython.double, total=cython.double)
cdef double _distance(PointPartition groups, RebuildWorkspace work, long long a) noexcept nogil
@cython.locals(d=cython.longlong)
cdef double _growth(PointPartition groups, RebuildWorkspace work, long long a, long long p) noexcept nogil
