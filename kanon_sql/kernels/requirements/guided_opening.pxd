cdef void _take(Selection selection, Candidates candidates, long long j, AssignmentList assignments) noexcept nogil
