cdef class Closest:
    cdef long long most, many
    cdef int[::1] row_type
    cdef long long[::1] distance
    cdef long long limit, units

cdef long long _distance(Measure measure, RowTypeGroups groups, long long p, long long q, long long limit) noexcept nogil
cdef long long _added(long long[::1] weight, int[::1] person, long long[::1] seen, long long r, long long turn) noexcept nogil
cdef void _nearest(
    long long[::1] weight, int[::1] person, long long[::1] seen, Measure measure, RowTypeGroups groups, long long k,
    long long[::1] member, long long every, long long reach, int[:, ::1] near, Closest closest, long long[::1] found,
    ClassSearch search
) noexcept nogil
cdef long long _cheapest(ClassSearch search, long long i, Closest closest) noexcept nogil
cdef void _find_nearest(
    Measure measure, RowTypeGroups groups, long long p, long long[::1] member, long long reach, Closest closest
) noexcept nogil
cdef long long _remaining(long long b, long long side) noexcept nogil
cdef void _compare_block(
    Measure measure, RowTypeGroups groups, long long p, long long[::1] member, long long b, long long side, Closest closest
) noexcept nogil
cdef void _clear(Closest closest, RowTypeGroups groups) noexcept nogil
cdef void _keep(Closest closest, RowTypeGroups groups, long long i, long long distance) noexcept nogil
