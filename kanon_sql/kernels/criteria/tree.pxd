cimport cython
from kanon_sql.kernels.criteria.distance cimport may_be_within, within, within_surely
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

@cython.locals(
    e=cython.longlong, gap=cython.longlong, edges=cython.longlong, length=cython.longlong, total=cython.longlong,
    moved=cython.longlong, rounded=cython.double
)
cdef bint meets(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(
    v=cython.longlong, e=cython.longlong, edges=cython.longlong, low=cython.longlong, parent=cython.longlong,
    leaf=cython.longlong
)
cdef void _sum_below(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at
) noexcept nogil
@cython.locals(
    e=cython.longlong, v=cython.longlong, up=cython.longlong, long=cython.double, share=cython.double, over=cython.double,
    own=cython.double, edges=cython.longlong, length=cython.longlong, leaf=cython.longlong, here=cython.double,
    all_more=cython.double, all_less=cython.double, scale=cython.double, ratio=cython.double, now=cython.double
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(
    e=cython.longlong, over=cython.double, rest=cython.longlong, length=cython.longlong, first=cython.longlong,
    moved=cython.double
)
cdef bint may_meet(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows,
    long long size
) noexcept nogil
