cimport cython
from kanon_sql.kernels.criteria.distance cimport may_be_within, within, within_surely
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.criteria.part cimport Part

@cython.locals(v=cython.longlong, gap=cython.longlong, moved=cython.longlong, rounded=cython.double)
cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows) noexcept nogil
@cython.locals(
    v=cython.longlong, over=cython.double, share=cython.double, slack=cython.double, here=cython.double, more=cython.double,
    less=cython.double, now=cython.double
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(v=cython.longlong, above=cython.double)
cdef bint may_meet(EncodedRequirement required, long long q, long long[::1] h, long long at, long long size) noexcept nogil
@cython.locals(
    a=cython.longlong, g=cython.longlong, middle=cython.longlong, total=cython.longlong, inside=cython.double,
    ratio=cython.double, slack=cython.double, low=cython.longlong, high=cython.longlong
)
cdef long long largest(Part part, long long most) noexcept nogil
@cython.locals(
    a=cython.longlong, g=cython.longlong, best=cython.longlong, some=cython.longlong, gain=cython.double, most=cython.double,
    missing=cython.longlong, left=cython.longlong, beyond=cython.longlong
)
cdef void _keep_shares(Part part, long long total) noexcept nogil
