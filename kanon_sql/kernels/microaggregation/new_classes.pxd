cdef class RebuildWorkspace:
    cdef long long k
    cdef long long[::1] chosen
    cdef long long many
    cdef long long[::1] dissolved, number
    cdef long long points
    cdef long long[::1] size
    cdef double[:, ::1] sums
    cdef long long made
    cdef long long[::1] free
    cdef long long unused
    cdef double[::1] centre

cdef void grow(PointPartition groups, RebuildWorkspace work, unsigned long long[::1] state) noexcept nogil
cdef void _join(PointPartition groups, RebuildWorkspace work, long long a, long long p) noexcept nogil
cdef long long _start(
    PointPartition groups, RebuildWorkspace work, long long rest, unsigned long long[::1] state
) noexcept nogil
cdef long long _nearest(PointPartition groups, RebuildWorkspace work) noexcept nogil
cdef double _distance(PointPartition groups, RebuildWorkspace work, long long a) noexcept nogil
cdef double _growth(PointPartition groups, RebuildWorkspace work, long long a, long long p) noexcept nogil
