cdef class _Splitter:
    cdef int[:, ::1] by_column
    cdef long long[::1] weight, cost, member, moved, local, rows, place
    cdef long long depth
    cdef long long[::1] low, high
    cdef unsigned long long[::1] tried, shown

cdef void _wait(_Splitter splitter, long long first, long long last, unsigned long long tried) noexcept nogil
cdef long long _best_column(
    _Splitter splitter, long long first, long long last, unsigned long long tried, long long k
) noexcept nogil
cdef long long _count_values(_Splitter splitter, long long column, long long first, long long last) noexcept nogil
cdef void _forget_values(_Splitter splitter, long long column, long long first, long long last) noexcept nogil
cdef long long _shown_rows(_Splitter splitter, long long values, long long k) noexcept nogil
cdef long long _part(_Splitter splitter, long long column, long long i, long long k) noexcept nogil
cdef void _split(
    _Splitter splitter, long long first, long long last, unsigned long long tried, long long column, long long k
) noexcept nogil
