cdef class WitnessStore:
    cdef readonly int[::1] row
    cdef readonly long long[::1] need
    cdef long long[::1] member_first
    cdef int[::1] members, set_of
    cdef PlaneSearch planes
    cdef CircuitSearch circuits
    cdef public long long steps
    cdef readonly long long[::1] start, count
    cdef readonly int[::1] base
    cdef readonly long long[::1] change
    cdef readonly long long used
    cdef long long[::1] head
    cdef long long links
    cdef long long[::1] link_after
    cdef int[::1] link_witness, touched
    cdef long long touches
    cdef readonly int[::1] new
    cdef readonly long long news
    cdef int[::1] users
    cdef long long[::1] seen
    cdef long long calls
