cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows) noexcept nogil
cdef long long _most(long long[::1] h, long long low, long long high) noexcept nogil
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef bint may_meet(EncodedRequirement required, long long q, long long[::1] h, long long at, long long size) noexcept nogil
cdef long long largest(Part part) noexcept nogil
