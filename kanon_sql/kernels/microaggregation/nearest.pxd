cdef class Places:
    cdef readonly double[:, ::1] x
    cdef readonly unsigned char[:, ::1] empty
    cdef readonly long long[::1] rows
    cdef readonly unsigned char[::1] absolute
    cdef readonly double[::1] apart
