cdef class Planes:
    cdef public int[::1] row
    cdef public int[:, ::1] end
    cdef int[::1] adjacent
    cdef public long long[::1] first
    cdef public int[::1] plane, nodes
    cdef public unsigned char[::1] free
    cdef public long long[::1] share, capacity
    cdef public long long steps
    cdef public long long[::1] flow
    cdef public int[::1] by
    cdef int[::1] queue
    cdef public int[::1] touched
    cdef long long touches
    cdef public int[::1] pair, edge
    cdef public long long found
    cdef public int[::1] side, node
    cdef public long long sides
