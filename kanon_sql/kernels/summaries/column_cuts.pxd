cdef class CutWorkspace:
    cdef int[:, ::1] by_column
    cdef Summary whole, side
    cdef long long[::1] start
    cdef long long size
    cdef long long[::1] order, before, gone, half, moved

cdef void sort_by(Measure measure, long long[::1] member, long long first, long long c, CutWorkspace work) noexcept nogil
cdef (long long, long long) cut_between(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, long long c, CutWorkspace work
) noexcept nogil
cdef long long _without(Measure measure, CutWorkspace work) noexcept nogil
cdef (long long, long long, long long) separate_code(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, long long c, CutWorkspace work
) noexcept nogil
