cdef class EncodedRequirement:
    cdef long long rows, least
    cdef readonly long long counters
    cdef long long of_first
    cdef readonly long long criteria
    cdef long long[::1] kind, low, high, num, den, extra, exact, data_start, edges, share_start, total
    cdef double[::1] share
    cdef long long[::1] data
    cdef readonly int[:, ::1] counter

cdef class CriteriaWorkspace:
    cdef long long[::1] top, below
    cdef double[::1] more, less, added, removed, logs
    cdef Transport transport
