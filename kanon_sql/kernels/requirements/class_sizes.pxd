cdef class ClassSizes:
    cdef long long largest, edges
    cdef long long[:, ::1] profit
    cdef int[:, ::1] item
    cdef long long[::1] held, same, place, taken, next, penalty, order, value, length
    cdef long long most
    cdef long long[:, ::1] free, over, most_of
    cdef long long size, multiplier, slope, last

cdef long long gather(
    Limits limits, Candidates candidates, Relaxed relaxed, ClassSizes sizes, long long[::1] price, long long j
) noexcept nogil
cdef long long gain_of(ClassSizes sizes, long long size, long long multiplier) noexcept nogil
cdef void _place(ClassSizes sizes, long long e, long long n) noexcept nogil
cdef bint _before(ClassSizes sizes, long long a, long long b) noexcept nogil
cdef long long _next(ClassSizes sizes, long long size, long long e, long long c) noexcept nogil
cdef long long try_size(ClassSizes sizes, long long size, long long start, long long longest, long long best) noexcept nogil
cdef bint penalize_larger(
    ClassSizes sizes, Limits limits, Penalties penalties, long long start, long long longest
) noexcept nogil
