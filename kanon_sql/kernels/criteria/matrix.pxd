cimport cython
from kanon_sql.kernels.criteria.distance cimport may_be_within, within, within_surely
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.criteria.earth_movers cimport solve

@cython.locals(v=cython.longlong, size=cython.longlong, cost=cython.longlong, moved=cython.longlong, rounded=cython.double)
cdef bint meets(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(v=cython.longlong, low=cython.longlong, size=cython.longlong)
cdef void _solve(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(
    v=cython.longlong, slope=cython.double, low=cython.longlong, size=cython.longlong, ratio=cython.double, scale=cython.double,
    mean=cython.double, beyond=cython.double, excess=cython.double, now=cython.double
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(
    u=cython.longlong, v=cython.longlong, over=cython.double, way=cython.longlong, low=cython.longlong,
    values_of=cython.longlong, first=cython.longlong, found=cython.double
)
cdef bint may_meet(EncodedRequirement required, long long q, long long[::1] h, long long at, long long size) noexcept nogil
