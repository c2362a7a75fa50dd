cdef class Planes:
    cdef readonly int[::1] row
    cdef readonly int[:, ::1] end
    cdef int[::1] adjacent
    cdef readonly long long[::1] first
    cdef int[::1] plane, nodes
    cdef unsigned char[::1] free
    cdef readonly long long[::1] share, capacity
    cdef public long long steps
    cdef long long[::1] flow
    cdef int[::1] by, queue, touched
    cdef long long touches
    cdef readonly int[::1] pair, edge
    cdef readonly long long found
    cdef readonly int[::1] side, node
    cdef readonly long long sides

cdef long long _left(Planes planes, long long half, long long edge, long long need) noexcept nogil
cdef bint _cut(Planes planes, long long number, long long edge, long long need) noexcept nogil
cdef long long _reach(Planes planes, long long edge, long long need, long long to) noexcept nogil
cdef long long _augment(Planes planes, long long edge, long long need, long long from_, long long to) noexcept nogil
cdef bint _keep(Planes planes, long long number, long long edge, long long reached) noexcept nogil
cdef bint _keep_side(Planes planes, long long number, long long reached) noexcept nogil
