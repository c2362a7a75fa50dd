cpdef bint meets(
    EncodedRequirement required, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef double shortfall(
    EncodedRequirement required, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cpdef bint may_meet(
    EncodedRequirement required, CriteriaWorkspace work, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil

cdef bint criterion_meets(
    EncodedRequirement required, CriteriaWorkspace work, long long q, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef double criterion_shortfall(
    EncodedRequirement required, CriteriaWorkspace work, long long q, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef long long largest(Part part, long long total) noexcept nogil
