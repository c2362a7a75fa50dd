cimport cython
from kanon_sql.kernels.arrays cimport full_int64, zeros_int64, zeros_uint8
from kanon_sql.kernels.cells.boxes cimport BoxSearch, odd, score_of, with_partner, without_partner
from kanon_sql.kernels.cells.search_space cimport CellSpace, cell_at

cdef class PlaneSearch:
    cdef long long a
    cdef long long b
    cdef long long corners
    cdef long long depth
    cdef long long from_
    cdef long long to
    cdef long long[::1] distance
    cdef long long[::1] before
    cdef long long[::1] by
    cdef long long[::1] amount
    cdef unsigned char[::1] done
    cdef long long[::1] open
    cdef long long opens
    cdef long long edge_cost
    cdef long long edge_amount
    cdef long long total_a
    cdef long long total_b

@cython.locals(g=cython.longlong, a=cython.longlong, b=cython.longlong)
cdef void search_planes(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long cell, long long target, long long need, long long steps
) noexcept nogil
