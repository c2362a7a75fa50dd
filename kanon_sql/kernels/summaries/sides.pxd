cdef class Sides:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef long long[::1] whole, one, other, small
    cdef bint fair
    cdef long long[::1] in_group, dealt

cdef void clear_one(Sides sides) noexcept nogil
cdef void add_to_one(Sides sides, long long i, long long rows) noexcept nogil
cdef bint both_meet(Sides sides, long long rows, long long others) noexcept nogil
cdef bint _is_fair(Sides sides, long long[::1] held, long long rows) noexcept nogil
cdef (long long, long long) halve(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, int[::1] group, long long[::1] order,
    long long types, Summary side, long long[::1] moved
) noexcept nogil
