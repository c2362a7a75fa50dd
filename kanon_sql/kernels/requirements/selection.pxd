from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement

cdef class Selection:
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef readonly long long[::1] available
    cdef readonly double[::1] price
    cdef readonly long long[::1] end
    cdef readonly long long[::1] part
    cdef readonly long long[::1] direction
    cdef readonly long long[::1] histogram
    cdef readonly double[::1] joining
    cdef readonly double[::1] leaving
    cdef readonly int[::1] scratch

cdef void clear(Selection selection) noexcept nogil
cdef (double, long long) select(
    Selection selection, Candidates candidates, long long j, double cost, double floor, long long rows
) noexcept nogil
