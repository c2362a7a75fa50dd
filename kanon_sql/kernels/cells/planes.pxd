cdef class PlaneSearch:
    cdef long long a, b, corners, depth, from_, to
    cdef long long[::1] distance, before, by, amount
    cdef unsigned char[::1] done
    cdef long long[::1] open
    cdef long long opens, edge_cost, edge_amount, total_a, total_b

cdef void search_planes(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long cell, long long target, long long need, long long steps
) noexcept nogil
