cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, zeros_int64
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

cdef class Part:
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef int[:, ::1] counter
    cdef long long groups
    cdef int[::1] group
    cdef long long[::1] rows
    cdef long long[::1] keep
    cdef long long[::1] histogram

@cython.locals(v=cython.longlong, a=cython.longlong, g=cython.longlong, b=cython.longlong, total=cython.longlong)
cdef long long keep_all(Part part) noexcept nogil
