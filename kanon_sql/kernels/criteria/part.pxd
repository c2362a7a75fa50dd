cimport cython
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

cdef class Part:
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef readonly int[:, ::1] counter
    cdef readonly long long groups
    cdef readonly int[::1] group
    cdef readonly long long[::1] rows
    cdef readonly long long[::1] keep
    cdef readonly long long[::1] histogram

@cython.locals(v=cython.longlong, a=cython.longlong, g=cython.longlong, b=cython.longlong, total=cython.longlong)
cdef long long keep_all(Part part) noexcept nogil
