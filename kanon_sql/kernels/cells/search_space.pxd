cdef class CellSpace:
    cdef int[:, ::1] ancestors, levels, codes
    cdef long long[::1] places, weights
    cdef int[::1] units
    cdef long long[:, ::1] unit_first
    cdef int[:, ::1] line_of
    cdef long long[::1] line_first
    cdef int[::1] line_cells
    cdef int[:, ::1] block_of
    cdef long long[::1] block_first
    cdef int[::1] own_row
    cdef unsigned char[:, ::1] sure, fine
    cdef long long[::1] nodes
    cdef readonly long long[::1] cost
    cdef readonly unsigned char[::1] suppressed, shown
    cdef long long mask
    cdef long long[::1] slot_place
    cdef int[::1] slot_cell

cdef long long cell_at(CellSpace space, long long place) noexcept nogil
