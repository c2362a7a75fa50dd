cdef class Part:
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef int[:, ::1] counter
    cdef long long groups
    cdef int[::1] group
    cdef long long[::1] rows, keep, histogram

cdef long long keep_all(Part part) noexcept nogil
