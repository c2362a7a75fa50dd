cdef class Candidates:
    cdef readonly long long[::1] begin
    cdef int[::1] group
    cdef readonly long long[::1] first
    cdef readonly int[::1] item
    cdef int[:, ::1] counter

cdef void sort_by_price(int[::1] item, long long first, long long last, double[::1] price, int[::1] scratch) noexcept nogil
cdef void _merge(
    int[::1] item, long long low, long long middle, long long high, double[::1] price, int[::1] scratch
) noexcept nogil
