from kanon_sql.kernels.summaries.growth cimport NewClasses, Unassigned
from kanon_sql.kernels.summaries.histograms cimport Histograms
from kanon_sql.kernels.summaries.measure cimport Measure

cdef long long grow_by_requirement(
    Measure measure,
    Histograms histograms,
    Unassigned unassigned,
    NewClasses new,
    long long k,
    long long turn,
    long long limit,
    unsigned long long[::1] state,
) noexcept nogil
cdef bint repair_by_requirement(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long turn
) noexcept nogil
