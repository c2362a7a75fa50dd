cimport cython
from kanon_sql.kernels.labels.two_word_sums cimport less, plus, square

cdef long long _rows(long long[:, ::1] before, long long a, long long b, long long c, long long d) noexcept nogil
@cython.locals(
    p=cython.longlong, q=cython.longlong, a=cython.longlong, b=cython.longlong, c=cython.longlong, d=cython.longlong,
    rows=cython.longlong, found=cython.longlong
)
cdef void _lightest(long long[:, ::1] before, long long k, long long[:, :, :, ::1] least) noexcept
@cython.locals(
    p=cython.longlong, q=cython.longlong, width=cython.longlong, height=cython.longlong, a=cython.longlong, c=cython.longlong
)
cdef void _fill(
    long long[:, ::1] before, long long k, long long heaviest, long long[:, :, :, :, ::1] least, short[:, :, :, ::1] cut
) noexcept
@cython.locals(
    m=cython.longlong, chosen=cython.longlong, one=tuple[cython.longlong, cython.longlong],
    other=tuple[cython.longlong, cython.longlong], both=tuple[cython.longlong, cython.longlong],
    best=tuple[cython.longlong, cython.longlong], rows=cython.longlong
)
cdef void _choose(
    long long[:, ::1] before, long long k, long long heaviest, long long[:, :, :, :, ::1] least, short[:, :, :, ::1] cut,
    long long a, long long b, long long c, long long d
) noexcept nogil
