cdef long long grow_by_size(
    Measure measure, Shape shape, Unassigned unassigned, NewClasses new, long long turn, long long limit,
    unsigned long long[::1] state
) noexcept nogil
cdef bint repair_by_size(Measure measure, Unassigned unassigned, NewClasses new, long long p, long long turn) noexcept nogil
cdef long long _best_gain(Measure measure, Unassigned unassigned, NewClasses new, long long needed) noexcept nogil
cdef long long _least_growth(Unassigned unassigned) noexcept nogil
