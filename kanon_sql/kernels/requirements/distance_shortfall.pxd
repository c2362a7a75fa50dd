from kanon_sql.kernels.requirements.encoded cimport EncodedRequirement, Workspace

cdef double above_shares(
    EncodedRequirement required, long long q, Workspace work, long long[::1] h, long long at, double rows, double slack
) noexcept nogil
cdef double too_far(
    EncodedRequirement required, long long q, Workspace work, double rows, double ratio
) noexcept nogil
cdef double too_costly(
    EncodedRequirement required, long long q, Workspace work, long long[::1] h, long long at, long long rows, double ratio
) noexcept nogil
