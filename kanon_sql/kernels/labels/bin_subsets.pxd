cimport cython

@cython.locals(
    subset=cython.longlong, rest=cython.longlong, part=cython.longlong, inside=cython.longlong, heaviest=cython.longlong,
    one=cython.longlong, top=cython.longlong
)
cdef void _partition(
    long long[::1] weight, long long k, long long[::1] load, long long[::1] best, long long[::1] chosen
) noexcept
