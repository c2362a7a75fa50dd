cdef class Relaxation:
    cdef long long[::1] weight, rare_start
    cdef unsigned long long[::1] rare
    cdef long long[::1] cost
    cdef unsigned long long[::1] chosen, part
    cdef long long[::1] need, fit_start
    cdef int[::1] fit
    cdef readonly long long[::1] charge
    cdef unsigned char[::1] joined
    cdef long long[::1] back
    cdef readonly long long[::1] size, price
    cdef readonly unsigned long long[::1] hidden
    cdef int[:, ::1] column
    cdef readonly unsigned char[::1] active
    cdef int[:, ::1] alive
    cdef long long cheapest_cell
    cdef bint counted
    cdef long long[::1] value
    cdef long long[:, ::1] gain
    cdef long long terms, best, least
    cdef unsigned long long best_hidden
    cdef long long nodes, most
    cdef readonly long long work

cdef void _set_refunds(Relaxation of) noexcept nogil
cdef long long _cheapest(Relaxation of, long long i) noexcept nogil
cdef void _search(Relaxation of, long long i) noexcept nogil
cdef void _join(Relaxation of, long long i) noexcept nogil
cdef long long _least_cost(Relaxation of, unsigned long long columns) noexcept nogil
cdef void _visit(
    Relaxation of, long long i, unsigned long long hidden, unsigned long long shown, long long depth, long long count,
    long long fixed_cost
) noexcept nogil
