from kanon_sql.kernels.requirements.encoded cimport EncodedRequirement, Workspace

cdef class Part:
    cdef readonly EncodedRequirement required
    cdef readonly Workspace work
    cdef readonly int[:, ::1] counter
    cdef readonly long long groups
    cdef readonly int[::1] group
    cdef readonly long long[::1] rows
    cdef readonly long long[::1] keep
    cdef readonly long long[::1] histogram

cdef long long largest_part(Part part) noexcept nogil
cdef long long whole_part(Part part) noexcept nogil
