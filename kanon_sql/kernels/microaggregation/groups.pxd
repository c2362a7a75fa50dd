cdef class Groups:
    cdef readonly double[:, ::1] x
    cdef readonly long long columns
    cdef readonly long long[::1] of
    cdef readonly long long[::1] size
    cdef readonly long long[::1] most
    cdef double[:, ::1] sums
    cdef double[::1] value
    cdef long long[::1] head
    cdef long long[::1] after
    cdef long long[::1] before
    cdef readonly double squares

cdef class Points:
    cdef readonly int[:, ::1] near
    cdef readonly long long[::1] of
    cdef readonly long long[::1] first
    cdef readonly long long[::1] units
    cdef readonly long long[::1] closed

cdef void put(Groups groups, long long i, long long c) noexcept nogil
cdef void take(Groups groups, long long i) noexcept nogil
cdef void weigh(Groups groups, long long c) noexcept nogil
cdef double with_unit(Groups groups, long long c, long long i) noexcept nogil
cdef double without_unit(Groups groups, long long c, long long i) noexcept nogil
cdef double swapped(Groups groups, long long c, long long i, long long j) noexcept nogil
cdef long long class_near(Groups groups, Points points, long long place, long long turn) noexcept nogil
