cimport cython

cdef class Relaxation:
    cdef readonly long long[::1] weight
    cdef long long[::1] rare_start
    cdef unsigned long long[::1] rare
    cdef readonly long long[::1] cost
    cdef readonly unsigned long long[::1] chosen
    cdef readonly unsigned long long[::1] part
    cdef readonly long long[::1] need
    cdef long long[::1] fit_start
    cdef readonly int[::1] fit
    cdef readonly long long[::1] charge
    cdef readonly unsigned char[::1] joined
    cdef long long[::1] back
    cdef readonly long long[::1] size
    cdef readonly long long[::1] price
    cdef readonly unsigned long long[::1] hidden
    cdef readonly int[:, ::1] column
    cdef readonly unsigned char[::1] active
    cdef readonly int[:, ::1] alive
    cdef long long cheapest_cell
    cdef readonly bint counted
    cdef readonly long long[::1] value
    cdef readonly long long[:, ::1] gain
    cdef long long terms
    cdef readonly long long best
    cdef readonly long long least
    cdef unsigned long long best_hidden
    cdef readonly long long nodes
    cdef readonly long long most
    cdef readonly long long work

@cython.locals(i=cython.longlong, a=cython.longlong, c=cython.longlong)
cdef void _paid_back(Relaxation of) noexcept nogil
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
    highest=cython.longlong, worth=cython.longlong, rest=cython.longlong, kept=cython.longlong
)
cdef void _visit(
    Relaxation of, long long i, unsigned long long hidden, unsigned long long shown, long long depth, long long count,
    long long paid
) noexcept nogil
