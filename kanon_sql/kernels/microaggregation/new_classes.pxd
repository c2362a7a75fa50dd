from kanon_sql.kernels.microaggregation.groups cimport PointPartition

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

cdef void grow(PointPartition groups, RebuildWorkspace work, unsigned long long[::1] state) noexcept nogil
