cdef long long count_columns(unsigned long long columns) noexcept nogil
cdef unsigned long long differing_columns(int[:, ::1] codes, long long i, long long j) noexcept nogil
