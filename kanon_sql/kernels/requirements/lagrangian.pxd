cdef class Relaxed:
    cdef readonly long long[::1] cost
    cdef readonly long long[::1] weight
    cdef readonly long long least
