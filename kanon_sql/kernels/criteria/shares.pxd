cimport cython
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

@cython.locals(e=cython.longlong, held=cython.longlong, limits=cython.longlong)
cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows) noexcept nogil
@cython.locals(
    e=cython.longlong, v=cython.longlong, most=cython.double, least=cython.double, held=cython.double, size=cython.double,
    now=cython.double, more=cython.double, less=cython.double, limits=cython.longlong, start=cython.longlong
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef double _outside(double held, double least, double most) noexcept nogil
@cython.locals(e=cython.longlong, held=cython.longlong, least=cython.longlong, limits=cython.longlong, missing=cython.longlong)
cdef bint may_meet(
    EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil
