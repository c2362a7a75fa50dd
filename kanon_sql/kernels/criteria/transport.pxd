cdef class Transport:
    cdef readonly long long[::1] excess
    cdef readonly long long[::1] flow
    cdef readonly long long[::1] potential
    cdef long long[::1] left
    cdef long long[::1] price
    cdef long long[::1] distance
    cdef long long[::1] before
    cdef long long[::1] done
    cdef long long[::1] ordered
    cdef long long sources

cdef void solve(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
