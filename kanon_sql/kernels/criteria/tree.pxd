cdef bint meets(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef void _sum_below(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at
) noexcept nogil
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef bint may_meet(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows,
    long long size
) noexcept nogil
