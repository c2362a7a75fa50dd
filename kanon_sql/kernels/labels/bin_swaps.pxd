cimport cython

@cython.locals(i=cython.longlong)
cdef void _list_labels(long long[::1] place, long long[::1] first, long long[::1] after) noexcept
@cython.locals(i=cython.longlong, j=cython.longlong)
cdef void _read_places(long long[::1] place, long long[::1] first, long long[::1] after) noexcept
@cython.locals(b=cython.longlong, i=cython.longlong, j=cython.longlong, idle=cython.longlong, changed=cython.bint)
cdef long long _until_changed(
    long long[::1] weight, long long[::1] load, long long[::1] first, long long[::1] after, long long[::1] order,
    long long least, long long most, long long rounds
) noexcept
@cython.locals(j=cython.longlong, within=cython.bint)
cdef bint _within(long long[::1] load, long long least, long long most) noexcept nogil
cdef long long _shift(long long[::1] weight, long long given, long long back) noexcept nogil
@cython.locals(after=cython.longlong)
cdef long long _difference_after(long long[::1] weight, long long difference, long long given, long long back) noexcept nogil
@cython.locals(
    n=cython.longlong, heavy=cython.longlong, light=cython.longlong, difference=cython.longlong, best=cython.longlong,
    given=cython.longlong, back=cython.longlong, above=cython.longlong, y=cython.longlong, x=cython.longlong,
    left=cython.longlong, shift=cython.longlong
)
cdef bint _exchange(
    long long[::1] weight, long long[::1] load, long long[::1] first, long long[::1] after, long long one, long long other
) noexcept nogil
@cython.locals(i=cython.longlong)
cdef void _take(long long[::1] first, long long[::1] after, long long j, long long label) noexcept nogil
@cython.locals(i=cython.longlong)
cdef void _put(long long[::1] first, long long[::1] after, long long j, long long label) noexcept nogil
