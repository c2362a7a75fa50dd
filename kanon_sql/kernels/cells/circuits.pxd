cdef class CircuitSearch:
    cdef long long[::1] first
    cdef int[::1] cells, sign, place, open
    cdef long long opens
    cdef int[::1] changed
    cdef long long changes
    cdef int[:, ::1] best
    cdef long long[:, ::1] imbalance
    cdef long long steps, row, amount

cdef bint search_circuit(
    CellSpace space, BoxSearch work, CircuitSearch circuits, long long cell, long long row, long long amount, long long steps
) noexcept nogil
