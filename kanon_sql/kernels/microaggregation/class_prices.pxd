cdef class _ClassGainSearch:
    cdef const long long[:, ::1] distance
    cdef const long long[::1] price
    cdef long long k
    cdef long long most
    cdef long long best
    cdef long long steps
    cdef long long[:, ::1] item
    cdef long long[:, ::1] key
    cdef long long[:, ::1] gain
    cdef long long[::1] other
    cdef long long[::1] chosen
    cdef long long[::1] found

cdef long long _around(_ClassGainSearch s, long long i) noexcept nogil
cdef void _grow(_ClassGainSearch s, long long depth, long long count, long long total, long long bound) noexcept nogil
