cdef class SurplusSearch:
    cdef long long[:, ::1] piece
    cdef long long[::1] surplus
    cdef unsigned long long[::1] everyone
    cdef long long[::1] gain, slot_rows
    cdef unsigned char[::1] slot_marked
    cdef int[::1] slot_first, after
    cdef long long[::1] member, other

cdef void begin(SurplusSearch search) noexcept nogil
cdef long long gather(
    GroupingWorkspace groups, SurplusSearch search, unsigned long long shown, long long n, long long least, long long most
) noexcept nogil
cdef long long members(GroupingWorkspace groups, SurplusSearch search, long long h) noexcept nogil
cdef long long move(
    SurplusSearch search, long long[:, ::1] moves, long long last, long long i, long long rows, long long p
) noexcept nogil
cdef long long take_back(SurplusSearch search, long long[:, ::1] moves, long long made, long long last) noexcept nogil
