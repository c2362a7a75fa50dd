cimport cython
from kanon_sql.kernels.labels.two_word_sums cimport less_with_squares, plus, square

@cython.locals(j=cython.longlong, oldest=cython.longlong, newest=cython.longlong, inside=cython.longlong)
cdef void _reach(long long[::1] before, long long k, long long heaviest, unsigned char[::1] divisible) noexcept
@cython.locals(
    j=cython.longlong, rows=cython.longlong, one=tuple[cython.longlong, cython.longlong],
    other=tuple[cython.longlong, cython.longlong]
)
cdef long long _overtakes(
    long long[::1] before, long long heaviest, long long[:, ::1] least, long long new, long long old, long long first,
    long long last
) noexcept nogil
@cython.locals(
    n=cython.longlong, j=cython.longlong, start=cython.longlong, first=cython.longlong, end=cython.longlong,
    head=cython.longlong, tail=cython.longlong, ready=cython.longlong, cost=tuple[cython.longlong, cython.longlong]
)
cdef void _fill(
    long long[::1] before, long long k, long long heaviest, long long[:, ::1] least, long long[::1] start_of,
    long long[::1] queue, long long[::1] best_from
) noexcept
@cython.locals(j=cython.longlong)
cdef void _trace_back(long long[::1] start_of, unsigned char[::1] starts) noexcept
