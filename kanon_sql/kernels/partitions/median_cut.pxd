cdef class _Cutter:
    cdef int[:, ::1] by_column
    cdef long long[::1] weight
    cdef long long k
    cdef long long[::1] member, rows, key, value, other, moved
    cdef long long cut, smaller

cdef long long _cut_part(_Cutter cutter, long long first, long long last) noexcept nogil
cdef long long _count_values(_Cutter cutter, long long column, long long first, long long last) noexcept nogil
cdef void _find_cut(_Cutter cutter, long long values, long long total) noexcept nogil
cdef long long _divide(_Cutter cutter, long long first, long long last, long long column, long long cut) noexcept nogil
