cdef class Planes:
    cdef public int[::1] row
    cdef public int[:, ::1] end
    cdef int[::1] adjacent
    cdef public long long[::1] first
    cdef public int[::1] plane
    cdef public int[::1] nodes
    cdef public unsigned char[::1] free
    cdef public long long[::1] share
    cdef public long long[::1] capacity
    cdef public long long steps
    cdef public long long[::1] flow
    cdef public int[::1] by
    cdef int[::1] queue
    cdef public int[::1] touched
    cdef long long touches
    cdef public int[::1] pair
    cdef public int[::1] edge
    cdef public long long found
    cdef public int[::1] side
    cdef public int[::1] node
    cdef public long long sides
