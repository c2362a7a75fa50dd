cdef class _ClassGainSearch:
    cdef const long long[:, ::1] distance
    cdef const long long[::1] price
    cdef long long k, most, best, steps
    cdef long long[:, ::1] item, key, gain
    cdef long long[::1] other, chosen, found

cdef long long _around(_ClassGainSearch s, long long i) noexcept nogil
cdef void _grow(_ClassGainSearch s, long long depth, long long count, long long total, long long bound) noexcept nogil
