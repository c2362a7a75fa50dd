cimport cython

cdef long long count_columns(unsigned long long columns) noexcept nogil
@cython.locals(c=cython.longlong, columns=cython.ulonglong)
cdef unsigned long long differing_columns(int[:, ::1] codes, long long i, long long j) noexcept nogil
