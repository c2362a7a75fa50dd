cimport cython
from kanon_sql.kernels.arrays cimport zeros_int64

cdef class Transport:
    cdef long long[::1] excess
    cdef long long[::1] flow
    cdef long long[::1] potential
    cdef long long[::1] left
    cdef long long[::1] price
    cdef long long[::1] distance
    cdef long long[::1] before
    cdef long long[::1] done
    cdef long long[::1] ordered
    cdef long long sources

@cython.locals(u=cython.longlong, target=cython.longlong)
cdef void solve(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
@cython.locals(u=cython.longlong, place=cython.longlong)
cdef void _order(Transport work, long long v) noexcept nogil
@cython.locals(
    u=cython.longlong, other=cython.longlong, place=cython.longlong, length=cython.longlong, nearest=cython.longlong,
    supply=cython.bint
)
cdef long long _nearest_deficit(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
@cython.locals(u=cython.longlong, amount=cython.longlong)
cdef void _augment(Transport work, long long v, long long target) noexcept nogil
@cython.locals(u=cython.longlong, other=cython.longlong, least=cython.longlong)
cdef void _set_potential(Transport work, long long v, long long[::1] cost, long long at) noexcept nogil
