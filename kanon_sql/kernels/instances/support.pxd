cdef bint _alike(int[:, ::1] codes, unsigned long long shown, long long i, long long j) noexcept nogil
