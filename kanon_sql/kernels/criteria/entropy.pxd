cimport cython
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement
from libc.math cimport log

@cython.locals(
    v=cython.longlong, part=cython.double, size=cython.double, num=cython.longlong, den=cython.longlong, found=cython.longlong,
    least=cython.longlong, greatest=cython.longlong
)
cdef bint meets(EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows) noexcept nogil
@cython.locals(
    v=cython.longlong, here=cython.double, part=cython.double, least=cython.double, now=cython.double, more=cython.double,
    less=cython.double
)
cdef double shortfall(
    EncodedRequirement required, long long q, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef double _self_log(CriteriaWorkspace work, long long rows) noexcept nogil
@cython.locals(least=cython.double, part=cython.double)
cdef bint may_meet(
    EncodedRequirement required, long long q, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil
@cython.locals(
    v=cython.longlong, x=cython.longlong, middle=cython.longlong, needed=cython.longlong, level=cython.longlong,
    above=cython.longlong, left=cython.longlong, part=cython.double
)
cdef double _least_part(long long[::1] h, long long low, long long high, long long rest, long long size) noexcept nogil
