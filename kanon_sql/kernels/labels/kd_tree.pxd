cdef (long long, long long, long long) _outlook(KDTreeWorkspace work, long long first, long long last) noexcept nogil
cdef long long _candidates(KDTreeWorkspace work, long long[:, ::1] order, long long first, long long last) noexcept nogil
cdef long long _decide(
    KDTreeWorkspace work, long long[:, ::1] order, long long first, long long last, long long candidates, long long unavoidable
) noexcept nogil
cdef void _divide(
    KDTreeWorkspace work, long long[:, ::1] order, long long unavoidable, long long[::1] group, long long[::1] begin,
    long long[::1] end
) noexcept
