cdef class MoveLog:
    cdef long long count
    cdef int[::1] row_type, number
    cdef long long[::1] rows
    cdef long long kept
    cdef int[::1] kept_type, kept_number
    cdef long long[::1] kept_rows

cdef void log(MoveLog moves, long long i, long long j, long long rows) noexcept nogil
cdef long long added_cost(MoveLog moves, long long[::1] cost, long long first) noexcept nogil
cdef void add_by_row_type(MoveLog moves, long long[::1] cost, long long first, long long[::1] total) noexcept nogil
cdef void keep(MoveLog moves, long long first) noexcept nogil
