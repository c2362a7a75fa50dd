cdef class BoxSearch:
    cdef long long[::1] value, base_value
    cdef unsigned char[::1] fixed
    cdef long long[::1] moved, shift
    cdef int[::1] trial
    cdef int[:, ::1] alive
    cdef long long[::1] lives
    cdef int[::1] cell, cell_sign, row, row_sign
    cdef long long cells, rows, need, amount, cost
    cdef double score
    cdef long long target
    cdef bint with_fixed
    cdef public bint down
    cdef long long steps, partial_cost, partial_amount

cdef void search(CellSpace space, BoxSearch work, long long cell, long long target, long long need, long long steps) noexcept nogil
cdef bint odd(long long number) noexcept nogil
cdef double score_of(BoxSearch work, long long cost, long long amount) noexcept nogil
cdef void without_partner(BoxSearch work, long long depth) noexcept nogil
cdef bint with_partner(
    CellSpace space, BoxSearch work, long long depth, long long dimension, long long count, long long other
) noexcept nogil
cdef void apply(BoxSearch work) noexcept nogil
