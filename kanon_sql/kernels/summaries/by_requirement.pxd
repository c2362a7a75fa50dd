cdef long long _nearest(Unassigned unassigned, Histograms histograms) noexcept nogil
cdef long long grow_by_requirement(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long k, long long turn, long long limit,
    unsigned long long[::1] state
) noexcept nogil
cdef long long _best(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long r, long long rows,
    long long turn
) noexcept nogil
cdef long long repair_by_requirement(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long turn
) noexcept nogil
