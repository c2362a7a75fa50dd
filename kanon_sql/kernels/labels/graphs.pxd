cdef class Graph:
    cdef readonly long long[::1] begin
    cdef readonly long long[::1] near
