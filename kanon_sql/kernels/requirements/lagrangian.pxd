cdef class Relaxed:
    cdef long long[::1] cost, weight
    cdef long long least

cdef long long advance_one(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long length,
    long long[:, ::1] multipliers, long long j, long long[::1] covered
) noexcept nogil
cdef long long gain_of_one(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, Penalties kept, long long[::1] price,
    long long longest, long long j, long long[::1] profit, long long[::1] top_up
) noexcept nogil
cdef long long _choose(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, Penalties kept, long long[::1] price,
    long long longest, long long j
) noexcept nogil
cdef (long long, long long) penalized_gain(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j
) noexcept nogil
cdef long long _spent(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long j, long long s
) noexcept nogil
cdef void _cover(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j,
    long long[::1] covered
) noexcept nogil
cdef long long gain_after(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j,
    long long[::1] profit, long long[::1] top_up
) noexcept nogil
