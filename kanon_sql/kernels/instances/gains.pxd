cimport cython

cdef long long NEVER

@cython.locals(
    a=cython.longlong, i=cython.longlong, place=cython.longlong, copies=cython.longlong, above=cython.longlong,
    covered=cython.longlong, total=cython.longlong, found=cython.longlong, nearest=cython.longlong, need=cython.longlong,
    kept=cython.longlong, least=cython.longlong
)
cdef (long long, long long) gain(
    int[::1] member, long long first, long long last, long long[::1] rows, long long[::1] price, long long w, long long k,
    long long floor, long long[::1] top_up
) noexcept nogil
