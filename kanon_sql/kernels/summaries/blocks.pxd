cdef class RowTypeGroups:
    cdef int[:, ::1] packed
    cdef unsigned long long[:, ::1] has
    cdef long long[:, ::1] low, high
    cdef long long unit, slack
    cdef short[::1] step
    cdef short[:, :, ::1] place
    cdef short[:, ::1] far

cdef long long units(RowTypeGroups groups, long long distance) noexcept nogil
cdef bint is_far(
    Measure measure, RowTypeGroups groups, long long p, long long g, long long side, long long limit
) noexcept nogil
cdef long long _group_distance(Measure measure, RowTypeGroups groups, long long p, long long g, long long limit) noexcept nogil
cdef void _nothing(short[:, ::1] far, long long side) noexcept nogil
cdef void _differ(
    short[:, :, ::1] place, long long g, long long c, short own, short step, short[:, ::1] far, long long side
) noexcept nogil
cdef void _stand_apart(
    short[:, :, ::1] place, long long g, long long c, short own, short[:, ::1] far, long long side
) noexcept nogil
cdef long long _least(short[:, ::1] far, long long side) noexcept nogil
