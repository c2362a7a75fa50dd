from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.requirements.limits cimport Limits, Penalties

cdef class Relaxed:
    cdef readonly long long[::1] cost
    cdef readonly long long[::1] weight
    cdef readonly long long least

cdef long long advance_one(
    Limits limits,
    Candidates candidates,
    Relaxed relaxed,
    Penalties penalties,
    long long[::1] price,
    long long length,
    long long[:, ::1] multipliers,
    long long j,
    long long[::1] covered,
) noexcept nogil
cdef long long gain_of_one(
    Limits limits,
    Candidates candidates,
    Relaxed relaxed,
    Penalties penalties,
    Penalties kept,
    long long[::1] price,
    long long longest,
    long long j,
    long long[::1] paid,
    long long[::1] top_up,
) noexcept nogil
cdef long long gain_after(
    Limits limits,
    Candidates candidates,
    Relaxed relaxed,
    Penalties penalties,
    long long[::1] price,
    long long j,
    long long[::1] paid,
    long long[::1] top_up,
) noexcept nogil
cdef (long long, long long) penalized_gain(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j
) noexcept nogil
