cdef long long _cut(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, int[::1] group, long long[::1] member,
    long long first, long long last, CutWorkspace work
) noexcept nogil
cdef long long _best_cut(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, int[::1] group, long long[::1] member,
    long long first, long long how, long long least, CutWorkspace work
) noexcept nogil
