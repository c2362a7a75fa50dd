cdef class ClassSearch:
    cdef int[:, ::1] codes
    cdef long long[::1] weight
    cdef Measure measure
    cdef Summary summary
    cdef long long k, most, best, steps
    cdef long long[:, ::1] different, low, high, item, key
    cdef long long[::1] member

cdef long long cheapest(ClassSearch search, long long i, int[::1] row_type, long long many, long long limit) noexcept nogil
cdef long long _growth(ClassSearch s, long long i) noexcept nogil
cdef void _grow(ClassSearch s, long long depth, long long many, long long loss, long long need) noexcept nogil
cdef void _sort(ClassSearch s, long long depth, long long count) noexcept nogil
