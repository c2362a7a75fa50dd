cdef class Donors:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef int[::1] group
    cdef long long[::1] copies, number, order, first, extra, rows, histogram
    cdef int[:, ::1] counter
    cdef long long[::1] gives, at
    cdef double[::1] score, removes

cdef long long _repair(Donors donors, long long[::1] histogram, long long rows) noexcept nogil
cdef void _count(Donors donors, long long[::1] histogram, long long at, long long q, long long rows) noexcept nogil
cdef long long _surplus(Donors donors) noexcept nogil
cdef bint _may_give(Donors donors, long long q, long long c) noexcept nogil
cdef long long _dissolve(Donors donors, long long[::1] histogram, double missing) noexcept nogil
cdef long long _score(Donors donors) noexcept nogil
cdef long long _best_score(Donors donors) noexcept nogil
cdef long long _join(Donors donors, long long[::1] histogram, long long c) noexcept nogil
