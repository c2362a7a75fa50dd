cimport cython
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.criteria.part cimport Part

cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows) noexcept nogil
@cython.locals(v=cython.longlong, found=cython.longlong)
cdef long long _most(long long[::1] h, long long low, long long high) noexcept nogil
@cython.locals(
    v=cython.longlong, over=cython.double, now=cython.double, more=cython.double, less=cython.double, share=cython.double
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef bint may_meet(EncodedRequirement required, long long q, long long[::1] h, long long at, long long size) noexcept nogil
@cython.locals(
    a=cython.longlong, g=cython.longlong, middle=cython.longlong, total=cython.longlong, low=cython.longlong,
    high=cython.longlong
)
cdef long long largest(Part part) noexcept nogil
