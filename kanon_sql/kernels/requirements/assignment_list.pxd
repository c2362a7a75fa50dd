cdef class AssignmentList:
    cdef readonly long long size
    cdef long long capacity
    cdef readonly int[::1] row_type, number
    cdef readonly long long[::1] count

cdef void add(AssignmentList assignments, long long i, long long j, long long rows) noexcept nogil
