cdef void compare(int[:, ::1] code, long long[::1] step, long long r, long long types, long long[::1] growth) noexcept nogil
cdef void differ(
    int[:, ::1] code, long long c, long long own, long long step, long long types, long long[::1] growth
) noexcept nogil
cdef void agree(
    int[:, ::1] code, long long c, long long own, long long step, long long types, long long[::1] growth
) noexcept nogil
cdef void stand_apart(
    int[:, ::1] code, long long c, long long own, long long null, long long step, long long types, long long[::1] growth
) noexcept nogil
cdef void reach(
    int[:, ::1] code, long long c, long long end, long long own, long long null, long long step, long long types,
    long long[::1] growth
) noexcept nogil
cdef void mark(int[:, ::1] code, long long r, long long types, unsigned long long[::1] differing) noexcept nogil
cdef void unmark(long long c, long long types, unsigned long long[::1] differing) noexcept nogil
