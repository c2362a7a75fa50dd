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
