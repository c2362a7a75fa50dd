from kanon_sql.kernels.summaries.growth cimport NewClasses, Unassigned
from kanon_sql.kernels.summaries.measure cimport Measure
from kanon_sql.kernels.summaries.neighbourhoods cimport Shape

cdef long long grow_by_size(
    Measure measure,
    Shape shape,
    Unassigned unassigned,
    NewClasses new,
    long long turn,
    long long limit,
    unsigned long long[::1] state,
) noexcept nogil
cdef bint repair_by_size(Measure measure, Unassigned unassigned, NewClasses new, long long p, long long turn) noexcept nogil
