cdef class _Found:
    cdef long long size
    cdef int[:, ::1] member
    cdef long long[::1] reduced

cdef int _grow(_Found found) except -1 with gil
cdef long long _add(_Found found, long long reduced) except -1 nogil
cdef int _find_partners(
    Simplices s, Duals duals, long long slack, long long limit, long long a, long long[::1] row, _Found found
) except -1 nogil
cdef int _try_triple(
    Simplices s, Duals duals, long long slack, long long a, long long b, long long c, _Found found
) except -1 nogil
