cdef class Values:
    cdef int[:, ::1] codes
    cdef long long[::1] column
    cdef readonly long long[::1] cost
    cdef long long[::1] first
    cdef long long[::1] start
    cdef int[::1] member
    cdef int[::1] place
    cdef readonly unsigned long long[:, ::1] bits

cdef class Agreement:
    cdef unsigned long long[:, ::1] counter
    cdef unsigned long long[::1] carry
    cdef unsigned long long[::1] left
    cdef unsigned long long[::1] level
    cdef long long total
    cdef readonly long long away

cdef void compare(Values values, Agreement agreement, long long i) noexcept nogil
cdef bint take_nearest(Agreement agreement) noexcept nogil
cdef long long next_taken(Agreement agreement, long long w) noexcept nogil
