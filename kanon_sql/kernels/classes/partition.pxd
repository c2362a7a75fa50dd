cdef class CandidateClasses:
    cdef readonly long long[::1] start
    cdef readonly int[::1] member
    cdef readonly long long[::1] first
    cdef readonly int[::1] instance
    cdef readonly long long[::1] cost, price, weight

cdef class Partition:
    cdef readonly long long bits
    cdef readonly int[::1] where
    cdef readonly long long[::1] amount
    cdef readonly int[::1] used
    cdef readonly long long[::1] rows
    cdef readonly int[::1] head, places, after
    cdef int[::1] before

cdef bint put(Partition partition, long long i, long long j, long long count) noexcept nogil
cdef void take(Partition partition, long long i, long long j, long long count) noexcept nogil
cdef long long place_of(Partition partition, long long i, long long turn) noexcept nogil
