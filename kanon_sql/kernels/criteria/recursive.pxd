cdef bint meets(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef long long _top(long long[::1] h, long long low, long long high) noexcept nogil
cdef long long _tail(
    CriteriaWorkspace work, long long[::1] h, long long low, long long high, long long rows, long long size
) noexcept nogil
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef bint may_meet(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows,
    long long size
) noexcept nogil
