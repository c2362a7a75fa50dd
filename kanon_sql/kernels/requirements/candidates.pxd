cimport cython

cdef class Candidates:
    cdef readonly long long[::1] begin
    cdef int[::1] group
    cdef readonly long long[::1] first
    cdef readonly int[::1] item
    cdef int[:, ::1] counter

@cython.locals(
    a=cython.longlong, b=cython.longlong, i=cython.longlong, low=cython.longlong, high=cython.longlong, middle=cython.longlong,
    length=cython.longlong
)
cdef void sort_by_price(int[::1] item, long long first, long long last, double[::1] price, int[::1] scratch) noexcept nogil
@cython.locals(a=cython.longlong, left=cython.longlong, size=cython.longlong)
cdef void _merge(
    int[::1] item, long long low, long long middle, long long high, double[::1] price, int[::1] scratch
) noexcept nogil
