cdef void _list_labels(long long[::1] place, long long[::1] first, long long[::1] after) noexcept
cdef void _read_places(long long[::1] place, long long[::1] first, long long[::1] after) noexcept
cdef long long _until_changed(
    long long[::1] weight, long long[::1] load, long long[::1] first, long long[::1] after, long long[::1] order,
    long long least, long long most, long long rounds
) noexcept
cdef bint _within(long long[::1] load, long long least, long long most) noexcept nogil
cdef long long _shift(long long[::1] weight, long long given, long long back) noexcept nogil
cdef long long _difference_after(long long[::1] weight, long long difference, long long given, long long back) noexcept nogil
cdef bint _exchange(
    long long[::1] weight, long long[::1] load, long long[::1] first, long long[::1] after, long long one, long long other
) noexcept nogil
cdef void _take(long long[::1] first, long long[::1] after, long long j, long long label) noexcept nogil
cdef void _put(long long[::1] first, long long[::1] after, long long j, long long label) noexcept nogil
