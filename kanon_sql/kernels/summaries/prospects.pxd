from kanon_sql.kernels.requirements.encoded cimport EncodedRequirement, Workspace

cpdef bint may_meet(
    EncodedRequirement required, Workspace work, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil
