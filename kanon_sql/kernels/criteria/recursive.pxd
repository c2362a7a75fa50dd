cimport cython
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

@cython.locals(low=cython.longlong, high=cython.longlong, behind=cython.longlong)
cdef bint meets(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(v=cython.longlong, found=cython.longlong)
cdef long long _top(long long[::1] h, long long low, long long high) noexcept nogil
@cython.locals(v=cython.longlong, place=cython.longlong, kept=cython.longlong, behind=cython.longlong)
cdef long long _tail(
    CriteriaWorkspace work, long long[::1] h, long long low, long long high, long long rows, long long size
) noexcept nogil
@cython.locals(
    v=cython.longlong, place=cython.longlong, low=cython.longlong, high=cython.longlong, size=cython.longlong,
    ratio=cython.double, behind=cython.longlong, top=cython.longlong, beyond=cython.double, now=cython.double, own=cython.double
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(low=cython.longlong, high=cython.longlong, behind=cython.longlong)
cdef bint may_meet(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows,
    long long size
) noexcept nogil
