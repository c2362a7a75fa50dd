cdef class Growth:
    cdef Assignment assignment
    cdef Candidates candidates
    cdef Selection selection
    cdef Candidates drawn
    cdef int[::1] source
    cdef long long moves
    cdef int[::1] moved_type, moved_from
    cdef long long[::1] moved_rows

cdef long long _grow(Growth growth, long long j) noexcept nogil
cdef bint _list_drawn(Growth growth, long long j) noexcept nogil
cdef bint _has_known_surplus(Assignment assignment, long long i, long long c) noexcept nogil
cdef void _add_drawn(Growth growth, long long n, long long i, long long place) noexcept nogil
cdef void _start_from(Growth growth, long long j) noexcept nogil
cdef long long _most_expensive(Assignment assignment, long long i, long long j) noexcept nogil
cdef long long _draw(Growth growth, long long j) noexcept nogil
cdef long long _move(Growth growth, long long i, long long j, long long wanted) noexcept nogil
