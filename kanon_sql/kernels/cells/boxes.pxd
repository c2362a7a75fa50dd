cimport cython
from kanon_sql.kernels.cells.search_space cimport CellSpace, cell_at

cdef class BoxSearch:
    cdef readonly long long[::1] value
    cdef readonly long long[::1] base_value
    cdef readonly long long least
    cdef readonly unsigned char[::1] fixed
    cdef readonly long long[::1] moved
    cdef readonly long long[::1] shift
    cdef int[::1] trial
    cdef readonly int[::1] corner
    cdef int[:, ::1] alive
    cdef long long[::1] lives
    cdef readonly int[::1] sets
    cdef readonly long long set_count
    cdef readonly long long corners
    cdef long long need
    cdef readonly long long amount
    cdef readonly long long cost
    cdef public double score
    cdef long long target
    cdef public bint with_fixed
    cdef long long steps
    cdef long long partial_cost
    cdef long long partial_amount

@cython.locals(g=cython.longlong)
cdef void search(CellSpace space, BoxSearch work, long long cell, long long target, long long need, long long steps) noexcept nogil
@cython.locals(c=cython.longlong, k=cython.longlong, amount=cython.longlong, cell=cython.longlong)
cdef void apply(CellSpace space, BoxSearch work, long long times) noexcept nogil
