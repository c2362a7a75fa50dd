from kanon_sql.kernels.requirements.encoded cimport EncodedRequirement, Workspace

cdef bint is_close(
    EncodedRequirement required, long long q, Workspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef void sum_below(EncodedRequirement required, long long q, Workspace work, long long[::1] h, long long at) noexcept nogil
cdef void set_excess(
    EncodedRequirement required, long long q, Workspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
