cdef class BestClass:
    cdef Relaxed beyond
    cdef long long largest
    cdef readonly long long[::1] size
    cdef long long[::1] multiplier, near
    cdef public long long slack

cdef long long _try_sizes(
    ClassSizes sizes, BestClass best, long long least, long long rows, long long hint, long long start, long long longest,
    long long j
) noexcept nogil
cdef long long _cover(
    ClassSizes sizes, BestClass best, long long least, long long longest, long long j, long long[::1] covered
) noexcept nogil
