cimport cython
from kanon_sql.kernels.arrays cimport zeros_int32, zeros_int32_2d, zeros_int64
from kanon_sql.kernels.cells.search_space cimport CellSpace, cell_at

cdef class BoxSearch:
    cdef long long[::1] value
    cdef long long[::1] base_value
    cdef unsigned char[::1] fixed
    cdef long long[::1] moved
    cdef long long[::1] shift
    cdef int[::1] trial
    cdef int[:, ::1] alive
    cdef long long[::1] lives
    cdef int[::1] cell
    cdef int[::1] cell_sign
    cdef int[::1] row
    cdef int[::1] row_sign
    cdef long long cells
    cdef long long rows
    cdef long long need
    cdef long long amount
    cdef long long cost
    cdef public double score
    cdef long long target
    cdef public bint with_fixed
    cdef public bint down
    cdef long long steps
    cdef long long partial_cost
    cdef long long partial_amount

@cython.locals(g=cython.longlong)
cdef void search(CellSpace space, BoxSearch work, long long cell, long long target, long long need, long long steps) noexcept nogil
cdef bint odd(long long number) noexcept nogil
@cython.locals(times=cython.longlong)
cdef double score_of(BoxSearch work, long long cost, long long amount) noexcept nogil
@cython.locals(k=cython.longlong)
cdef void without_partner(BoxSearch work, long long depth) noexcept nogil
@cython.locals(
    step=cython.longlong, lives=cython.longlong, k=cython.longlong, g=cython.longlong, first=cython.longlong, c=cython.longlong,
    found=cython.longlong, kept=cython.bint
)
cdef bint with_partner(
    CellSpace space, BoxSearch work, long long depth, long long dimension, long long count, long long other
) noexcept nogil
@cython.locals(k=cython.longlong)
cdef void apply(BoxSearch work) noexcept nogil
