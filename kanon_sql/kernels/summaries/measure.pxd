cdef class Measure:
    cdef long long columns
    cdef bint plain
    cdef readonly long long[::1] kind, step, null
    cdef long long[::1] first

cdef class Summary:
    cdef long long[::1] seen, different, low, high

cdef long long steps(long long kind, long long different, long long low, long long high, bint has_null) noexcept nogil
cdef long long join(Measure measure, Summary summary, int[:, ::1] codes, long long i) noexcept nogil
cdef void clear(
    Measure measure, Summary summary, int[:, ::1] codes, long long[::1] member, long long first, long long last
) noexcept nogil
cdef void _class_losses(
    int[:, ::1] codes, Measure measure, Summary summary, long long[::1] member, long long[::1] number, long long[::1] rows,
    long long[::1] loss
) noexcept nogil
