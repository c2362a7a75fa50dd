cdef void _choose(PointPartition groups, Points points, RebuildWorkspace work, unsigned long long[::1] state) noexcept nogil
cdef double _saved(PointPartition groups, RebuildWorkspace work) noexcept nogil
cdef void _replace(PointPartition groups, RebuildWorkspace work) noexcept nogil
