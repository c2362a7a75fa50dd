cimport cython

@cython.locals(
    a=cython.longlong, b=cython.longlong, i=cython.longlong, place=cython.longlong, first=cython.longlong,
    middle=cython.longlong, last=cython.longlong, width=cython.longlong
)
cdef void sort_by_key(long long[::1] item, long long count, long long[::1] key, long long[::1] other) noexcept nogil
