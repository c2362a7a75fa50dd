cdef long long class_of_remainder(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long turn
) noexcept nogil
cdef void _include(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long a, long long r, long long rows,
    long long turn
) noexcept nogil
cdef long long _most_helpful(Histograms histograms, NewClasses new, long long p, long long own) noexcept nogil
cdef long long _numbered(NewClasses new, long long p, long long own) noexcept nogil
