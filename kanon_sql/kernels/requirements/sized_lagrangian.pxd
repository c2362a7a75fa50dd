cimport cython
from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.requirements.class_sizes cimport ClassSizes, gain_of, gather, penalize_larger, try_size
from kanon_sql.kernels.requirements.lagrangian cimport Relaxed, advance_one, gain_after, gain_of_one, penalized_gain
from kanon_sql.kernels.requirements.limits cimport Limits, Penalties

cdef class BestClass:
    cdef Relaxed beyond
    cdef long long largest
    cdef readonly long long[::1] size
    cdef long long[::1] multiplier
    cdef long long[::1] near
    cdef public long long slack

@cython.locals(n=cython.longlong, last=cython.longlong, found=cython.longlong)
cdef long long _try_sizes(
    ClassSizes sizes, BestClass best, long long least, long long rows, long long hint, long long start, long long longest,
    long long j
) noexcept nogil
@cython.locals(n=cython.longlong, e=cython.longlong, hint=cython.longlong, start=cython.longlong, gained=cython.longlong)
cdef long long _cover(
    ClassSizes sizes, BestClass best, long long least, long long longest, long long j, long long[::1] covered
) noexcept nogil
