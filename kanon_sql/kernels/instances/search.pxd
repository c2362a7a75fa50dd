cdef class Search:
    cdef int[:, ::1] codes
    cdef long long[::1] weight
    cdef long long slack
    cdef unsigned long long[::1] masks
    cdef long long[::1] cost
    cdef long long[:, ::1] sparse
    cdef long long k, limit
    cdef readonly bint priced
    cdef readonly long long[::1] price_limit
    cdef int[::1] row
    cdef long long[::1] rows
    cdef readonly long long[::1] count
    cdef long long[::1] best, value
    cdef long long waiting
    cdef long long[:, ::1] stack
    cdef long long found
    cdef readonly long long[::1] start
    cdef int[::1] mask
    cdef readonly long long size
    cdef int[::1] member

cdef int _grow_stack(Search search) except -1 with gil
cdef int _grow_instances(Search search) except -1 with gil
cdef int _grow_members(Search search) except -1 with gil
cdef int wait(Search search, long long first, long long last, long long column, long long low, long long high) except -1 nogil
cdef int keep(Search search, long long first, long long last, long long p) except -1 nogil
