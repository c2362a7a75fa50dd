from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.requirements.lagrangian cimport Relaxed
from kanon_sql.kernels.requirements.limits cimport Limits, Penalties

cdef class ClassSizes:
    cdef readonly long long largest
    cdef readonly long long edges
    cdef readonly long long[:, ::1] paid
    cdef readonly int[:, ::1] item
    cdef readonly long long[::1] held
    cdef readonly long long[::1] same
    cdef readonly long long[::1] place
    cdef readonly long long[::1] taken
    cdef readonly long long[::1] next
    cdef readonly long long[::1] penalty
    cdef readonly long long[::1] order
    cdef readonly long long[::1] value
    cdef readonly long long[::1] length
    cdef readonly long long most
    cdef readonly long long[:, ::1] free
    cdef readonly long long[:, ::1] over
    cdef readonly long long[:, ::1] most_of
    cdef public long long size
    cdef public long long multiplier
    cdef public long long slope
    cdef public long long last

cdef long long gather(
    Limits limits, Candidates candidates, Relaxed relaxed, ClassSizes sizes, long long[::1] price, long long j
) noexcept nogil
cdef long long gain_of(ClassSizes sizes, long long size, long long multiplier) noexcept nogil
cdef long long try_size(
    ClassSizes sizes, long long size, long long start, long long longest, long long best
) noexcept nogil
cdef bint penalize_larger(
    ClassSizes sizes, Limits limits, Penalties penalties, long long start, long long longest
) noexcept nogil
