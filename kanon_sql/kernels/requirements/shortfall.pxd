from kanon_sql.kernels.requirements.encoded cimport EncodedRequirement, Workspace

cpdef double shortfall(
    EncodedRequirement required, Workspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
