cdef class AssignmentSearchSpace:
    cdef readonly long long[::1] start
    cdef readonly int[::1] member
    cdef readonly long long[::1] first
    cdef readonly int[::1] instance
    cdef readonly long long[::1] cost
    cdef long long[::1] weight
    cdef readonly double[::1] price
    cdef int[::1] group
    cdef int[:, ::1] counter

cdef class Assignment:
    cdef readonly AssignmentSearchSpace space
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef readonly Partition partition
    cdef long long unassigned
    cdef int[::1] slot
    cdef long long[::1] histogram
    cdef long long vacancies
    cdef int[::1] vacant
    cdef long long clock
    cdef long long[::1] changed, seen, surplus

cpdef bint assign(Assignment assignment, long long i, long long j, long long rows) noexcept nogil
cpdef void unassign(Assignment assignment, long long i, long long j, long long rows) noexcept nogil

cdef void tick(Assignment assignment) noexcept nogil
cdef void mark_seen(Assignment assignment, long long j) noexcept nogil
cdef bint has_surplus(Assignment assignment, long long i, long long c) noexcept nogil
cdef bint class_meets(Assignment assignment, long long j) noexcept nogil
cdef void _count(Assignment assignment, long long slot, long long group, long long rows) noexcept nogil
