cdef class PointPartition:
    cdef readonly double[:, ::1] x
    cdef readonly long long columns
    cdef readonly long long[::1] of, size
    cdef long long[::1] most
    cdef double[:, ::1] sums
    cdef double[::1] value
    cdef long long[::1] head, after, before
    cdef double squares

cdef class Points:
    cdef readonly int[:, ::1] near
    cdef long long[::1] of, first, units, closed

cdef void put(PointPartition groups, long long i, long long c) noexcept nogil
cdef void take(PointPartition groups, long long i) noexcept nogil
cdef void weigh(PointPartition groups, long long c) noexcept nogil
cdef double with_unit(PointPartition groups, long long c, long long i) noexcept nogil
cdef double without_unit(PointPartition groups, long long c, long long i) noexcept nogil
cdef double swapped(PointPartition groups, long long c, long long i, long long j) noexcept nogil
cdef long long class_near(PointPartition groups, Points points, long long place, long long turn) noexcept nogil
