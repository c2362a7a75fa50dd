cdef class PlaneSearch:
    cdef long long a, b, corners, depth, from_, to
    cdef long long[::1] distance, before, by, amount
    cdef unsigned char[::1] done
    cdef long long[::1] open
    cdef long long opens, edge_cost, edge_amount, total_a, total_b

cdef void search_planes(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long cell, long long target, long long need, long long steps
) noexcept nogil
cdef bint _extend(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long dimension, long long depth, long long count
) noexcept nogil
cdef bint _edge(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long cell, bint fine_a, bint fine_b, long long sign, bint keep
) noexcept nogil
cdef void _reach(
    CellSpace space, BoxSearch work, PlaneSearch planes, long long node, long long to, long long cell
) noexcept nogil
cdef void _follow(CellSpace space, BoxSearch work, PlaneSearch planes, long long node) noexcept nogil
cdef bint _cycle(CellSpace space, BoxSearch work, PlaneSearch planes) noexcept nogil
cdef void _keep(CellSpace space, BoxSearch work, PlaneSearch planes, bint fine_a, bint fine_b) noexcept nogil
