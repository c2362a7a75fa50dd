cdef class _Split:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef int[:, ::1] column
    cdef long long[::1] weight, cost
    cdef unsigned long long[::1] shown
    cdef long long[::1] member, moved
    cdef long long depth
    cdef long long[::1] low, high
    cdef unsigned long long[::1] tried
    cdef long long[::1] local, stays, rows, place, start, histogram

cdef void _sort(
    _Split state, long long c, long long first, long long last, long long values, unsigned long long tried
) noexcept nogil
cdef long long _number(_Split state, long long c, long long first, long long last) noexcept nogil
cdef void _forget(_Split state, long long c, long long first, long long last) noexcept nogil
cdef long long _kept_rows(_Split state, long long c, long long first, long long last, long long values) noexcept nogil
cdef long long _count(_Split state, long long c, long long first, long long last, long long values) noexcept nogil
cdef void _add(_Split state, long long source, long long target) noexcept nogil
