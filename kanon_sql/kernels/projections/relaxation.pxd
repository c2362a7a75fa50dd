cimport cython
from kanon_sql.kernels.arrays cimport zeros_int32_2d, zeros_int64, zeros_int64_2d, zeros_uint8

cdef class Relaxation:
    cdef long long[::1] weight
    cdef long long[::1] rare_start
    cdef unsigned long long[::1] rare
    cdef long long[::1] cost
    cdef unsigned long long[::1] chosen
    cdef unsigned long long[::1] part
    cdef long long[::1] need
    cdef long long[::1] fit_start
    cdef int[::1] fit
    cdef readonly long long[::1] charge
    cdef unsigned char[::1] joined
    cdef long long[::1] back
    cdef readonly long long[::1] size
    cdef readonly long long[::1] price
    cdef readonly unsigned long long[::1] hidden
    cdef int[:, ::1] column
    cdef readonly unsigned char[::1] active
    cdef int[:, ::1] alive
    cdef long long cheapest_cell
    cdef bint counted
    cdef long long[::1] value
    cdef long long[:, ::1] gain
    cdef long long terms
    cdef long long best
    cdef long long least
    cdef unsigned long long best_hidden
    cdef long long nodes
    cdef long long most
    cdef readonly long long work

@cython.locals(i=cython.longlong, a=cython.longlong, c=cython.longlong)
cdef void _set_refunds(Relaxation of) noexcept nogil
@cython.locals(a=cython.longlong, c=cython.longlong, value=cython.longlong, pull=cython.longlong, all_shown=cython.longlong)
cdef long long _cheapest(Relaxation of, long long i) noexcept nogil
@cython.locals(a=cython.longlong, c=cython.longlong, n=cython.longlong, bits=cython.ulonglong)
cdef void _search(Relaxation of, long long i) noexcept nogil
@cython.locals(a=cython.longlong, c=cython.longlong, inside=cython.bint)
cdef void _join(Relaxation of, long long i) noexcept nogil
@cython.locals(found=cython.longlong, c=cython.longlong)
cdef long long _least_cost(Relaxation of, unsigned long long columns) noexcept nogil
@cython.locals(
    met=cython.ulonglong, part=cython.ulonglong, w=cython.longlong, one=cython.ulonglong, changed=cython.bint,
    unmet=cython.ulonglong, left=cython.ulonglong, a=cython.longlong, n=cython.longlong, c=cython.longlong,
    bound=cython.longlong, needed=cython.ulonglong, value=cython.longlong, branch=cython.longlong,
    highest=cython.longlong, score=cython.longlong, rest=cython.longlong, kept=cython.longlong
)
cdef void _visit(
    Relaxation of, long long i, unsigned long long hidden, unsigned long long shown, long long depth, long long count,
    long long fixed_cost
) noexcept nogil
