cdef class Places:
    cdef double[:, ::1] x
    cdef readonly unsigned char[:, ::1] empty
    cdef long long[::1] rows
    cdef unsigned char[::1] absolute
    cdef double[::1] apart

cdef double _around(
    Places places, long long i, long long k, long long kept, bint ordered, double[::1] away, long long[::1] other,
    int[:, ::1] near
) noexcept nogil
cdef double _apart(Places places, long long i, long long q, long long c) noexcept nogil
cdef double _distance(Places places, long long i, long long q, double limit) noexcept nogil
