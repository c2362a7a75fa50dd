cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows) noexcept nogil
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef double _self_log(CriteriaWorkspace work, long long rows) noexcept nogil
cdef bint may_meet(
    EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil
cdef double _least_part(long long[::1] h, long long low, long long high, long long rest, long long size) noexcept nogil
