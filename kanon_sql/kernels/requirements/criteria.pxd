from kanon_sql.kernels.requirements.encoded cimport EncodedRequirement, Workspace

cpdef bint meets(EncodedRequirement required, Workspace work, long long[::1] h, long long at, long long rows) noexcept nogil
cdef long long most(long long[::1] h, long long low, long long high) noexcept nogil
cdef long long values(long long[::1] h, long long low, long long high) noexcept nogil
cdef long long tail(
    Workspace work, long long[::1] h, long long low, long long high, long long rows, long long size
) noexcept nogil
