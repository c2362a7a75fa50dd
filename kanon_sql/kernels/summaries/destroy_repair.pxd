cdef void _rebuild(
    int[:, ::1] codes, Measure measure, Classes classes, int[:, ::1] near, Shape shape, NeighbourhoodWorkspace work,
    long long steps, unsigned long long[::1] state, Histograms histograms
) noexcept nogil
cdef long long _recreate(
    Measure measure, Shape shape, NeighbourhoodWorkspace work, long long turn, long long limit, unsigned long long[::1] state,
    Histograms histograms
) noexcept nogil
