cimport cython
from kanon_sql.kernels.arrays cimport full_int32, zeros_int32, zeros_int32_2d, zeros_int64_2d
from kanon_sql.kernels.cells.boxes cimport BoxSearch
from kanon_sql.kernels.cells.search_space cimport CellSpace

cdef class CircuitSearch:
    cdef long long[::1] first
    cdef int[::1] cells
    cdef int[::1] sign
    cdef int[::1] place
    cdef int[::1] open
    cdef long long opens
    cdef int[::1] changed
    cdef long long changes
    cdef int[:, ::1] best
    cdef long long[:, ::1] imbalance
    cdef long long steps
    cdef long long row
    cdef long long amount

@cython.locals(found=cython.bint, k=cython.longlong)
cdef bint search_circuit(
    CellSpace space, BoxSearch work, CircuitSearch circuits, long long cell, long long row, long long amount, long long steps
) noexcept nogil
