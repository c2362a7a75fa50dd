cdef class Selection:
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef long long[::1] available
    cdef double[::1] price
    cdef long long[::1] end, part, direction, histogram
    cdef double[::1] joining, leaving
    cdef int[::1] scratch

cdef void clear(Selection selection) noexcept nogil
cdef (double, long long) select(
    Selection selection, Candidates candidates, long long j, double cost, double floor, long long rows
) noexcept nogil
cdef (long long, double) _take_profitable(
    Selection selection, Candidates candidates, long long segment, long long s, double cost, double gain
) noexcept nogil
cdef (long long, bint, double, double) _best_move(
    Selection selection, Candidates candidates, long long low, long long segments, double cost
) noexcept nogil
cdef (long long, double) _move(
    Selection selection, Candidates candidates, long long segment, long long s, bint joins, long long wanted, double cost,
    double gain
) noexcept nogil
cdef double _next(Selection selection, Candidates candidates, long long segment, long long s) noexcept nogil
cdef double _last(Selection selection, Candidates candidates, long long segment, long long s) noexcept nogil
