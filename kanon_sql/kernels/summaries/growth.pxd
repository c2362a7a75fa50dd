cdef long long NEVER

cdef class Unassigned:
    cdef long long types
    cdef int[::1] row_type
    cdef long long[::1] rows
    cdef int[:, ::1] code
    cdef long long[::1] growth
    cdef unsigned long long[::1] differing
    cdef bint marked

cdef class NewClasses:
    cdef long long[::1] rows, row_loss
    cdef long long[:, ::1] low, high
    cdef int[:, ::1] seen
    cdef long long pieces
    cdef long long[:, ::1] piece
    cdef long long[::1] tally

cdef long long _widening(long long code, long long low, long long high, bint has_null, long long null) noexcept nogil
cdef void open_class(
    Measure measure, Unassigned unassigned, NewClasses new, long long p, long long r, long long turn, bint by_gain
) noexcept nogil
cdef void widen(Measure measure, Unassigned unassigned, NewClasses new, long long p, long long r, long long turn) noexcept nogil
cdef (long long, long long) show(
    Measure measure, NewClasses new, long long p, long long c, long long code, long long turn
) noexcept nogil
cdef long long growth_of(
    Measure measure, Unassigned unassigned, NewClasses new, long long p, long long r, long long turn
) noexcept nogil
