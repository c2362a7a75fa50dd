cdef class Values:
    cdef int[:, ::1] codes
    cdef long long[::1] column, cost, first, start
    cdef int[::1] member, place
    cdef unsigned long long[:, ::1] bits

cdef class Agreement:
    cdef unsigned long long[:, ::1] counter
    cdef unsigned long long[::1] carry, left, level
    cdef long long total, away

cdef void compare(Values values, Agreement agreement, long long i) noexcept nogil
cdef void _clear(unsigned long long[:, ::1] counter, unsigned long long[::1] left, long long t) noexcept nogil
cdef void _add_to(unsigned long long[:, ::1] counter, long long j, long long cost) noexcept nogil
cdef void _add_sets(
    unsigned long long[:, ::1] counter, unsigned long long[::1] carry, unsigned long long[:, ::1] bits, long long one,
    long long other, long long cost
) noexcept nogil
cdef bint take_nearest(Agreement agreement) noexcept nogil
cdef bint _copy(unsigned long long[::1] source, unsigned long long[::1] target) noexcept nogil
cdef bint _keep(
    unsigned long long[:, ::1] counter, long long b, unsigned long long[::1] level, unsigned long long[::1] scratch
) noexcept nogil
cdef void _remove(unsigned long long[::1] left, unsigned long long[::1] level) noexcept nogil
cdef long long next_taken(Agreement agreement, long long w) noexcept nogil
