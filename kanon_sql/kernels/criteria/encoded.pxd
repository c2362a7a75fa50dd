cdef class EncodedRequirement:
    cdef long long rows
    cdef long long least
    cdef readonly long long counters
    cdef long long of_first
    cdef readonly long long criteria
    cdef long long[::1] kind
    cdef long long[::1] low
    cdef long long[::1] high
    cdef long long[::1] num
    cdef long long[::1] den
    cdef long long[::1] extra
    cdef long long[::1] exact
    cdef long long[::1] data_start
    cdef long long[::1] edges
    cdef long long[::1] share_start
    cdef long long[::1] total
    cdef double[::1] share
    cdef long long[::1] data
    cdef readonly int[:, ::1] counter

cdef class CriteriaWorkspace:
    cdef long long[::1] top
    cdef long long[::1] below
    cdef double[::1] more
    cdef double[::1] less
    cdef double[::1] added
    cdef double[::1] removed
    cdef double[::1] logs
    cdef Transport transport
