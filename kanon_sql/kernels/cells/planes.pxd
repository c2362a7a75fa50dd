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

cdef void search_planes(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long cell, long long target, long long need, long long steps
) noexcept nogil
