cimport cython
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at) noexcept nogil
@cython.locals(v=cython.longlong, found=cython.longlong)
cdef long long _values(long long[::1] h, long long low, long long high) noexcept nogil
@cython.locals(v=cython.longlong, least=cython.longlong, found=cython.longlong)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at
) noexcept nogil
cdef bint may_meet(
    EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil
