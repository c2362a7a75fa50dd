cdef class Limits:
    cdef long long[::1] begin
    cdef readonly long long[::1] attribute
    cdef long long[::1] denominator
    cdef readonly long long[::1] most, signed
    cdef int[:, ::1] leaf
    cdef readonly long long[::1] parent
    cdef long long[::1] numerator, share, length

cdef class Penalties:
    cdef long long[::1] multiplier
    cdef long long edges, back, opening
    cdef long long[::1] above, rows

cdef void set_penalties(Limits limits, Penalties penalties) noexcept nogil
cdef long long penalty_of(Limits limits, Penalties penalties, int[:, ::1] counter, long long group) noexcept nogil
cdef void count(Limits limits, Penalties penalties, int[:, ::1] counter, long long group, long long rows) noexcept nogil
cdef void step(Limits limits, Penalties penalties, long long covered, long long least, long long length) noexcept nogil
cdef long long _part(long long length, long long more, long long less) noexcept nogil
