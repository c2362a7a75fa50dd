cdef class Near:
    cdef long long[:, ::1] price
    cdef long long alike
    cdef int[::1] row_type
    cdef unsigned long long[::1] differing
    cdef long long[::1] rows
    cdef unsigned short[:, ::1] together
    cdef unsigned char[::1] kept
    cdef int[:, ::1] fits
    cdef long long size, tried

cdef long long _class_cost(
    Near near, Values values, Agreement agreement, long long[::1] weight, long long i, long long k, long long step
) noexcept nogil
cdef long long _cost(Near near, unsigned long long columns) noexcept nogil
cdef (long long, bint) _gather(
    Near near, Values values, Agreement agreement, long long[::1] weight, long long i, long long rows
) noexcept nogil
cdef bint _has_class(Near near, long long most, long long need) noexcept nogil
cdef bint _may_grow(
    Near near, long long depth, long long left, unsigned long long columns, long long need, long long most
) noexcept nogil
