cimport cython
from kanon_sql.kernels.instances.gains cimport gain
from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.requirements.limits cimport Limits, Penalties, count, penalty_of, set_penalties, step

cdef class Relaxed:
    cdef long long[::1] cost
    cdef long long[::1] weight
    cdef long long least

@cython.locals(gained=cython.longlong, rows=cython.longlong)
cdef long long advance_one(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long length,
    long long[:, ::1] multipliers, long long j, long long[::1] covered
) noexcept nogil
@cython.locals(chosen=cython.longlong)
cdef long long gain_of_one(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, Penalties kept, long long[::1] price,
    long long longest, long long j, long long[::1] profit, long long[::1] top_up
) noexcept nogil
@cython.locals(k=cython.longlong, gained=cython.longlong, rows=cython.longlong, lowest=cython.longlong, length=cython.longlong)
cdef long long _choose(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, Penalties kept, long long[::1] price,
    long long longest, long long j
) noexcept nogil
@cython.locals(
    s=cython.longlong, a=cython.longlong, i=cython.longlong, spent=cython.longlong, rows=cython.longlong,
    covered=cython.longlong, gained=cython.longlong
)
cdef (long long, long long) penalized_gain(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j
) noexcept nogil
cdef long long _spent(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long j, long long s
) noexcept nogil
@cython.locals(s=cython.longlong, a=cython.longlong, i=cython.longlong, spent=cython.longlong)
cdef void _cover(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j,
    long long[::1] covered
) noexcept nogil
@cython.locals(s=cython.longlong, a=cython.longlong, spent=cython.longlong, first=cython.longlong, last=cython.longlong)
cdef long long gain_after(
    Limits limits, Candidates candidates, Relaxed relaxed, Penalties penalties, long long[::1] price, long long j,
    long long[::1] profit, long long[::1] top_up
) noexcept nogil
