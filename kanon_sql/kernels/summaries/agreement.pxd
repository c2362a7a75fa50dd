cimport cython

@cython.locals(c=cython.longlong, x=cython.longlong, own=cython.int, lost=cython.longlong, differs=cython.longlong)
cdef void compare(int[:, ::1] code, long long[::1] step, long long r, long long types, long long[::1] growth) noexcept nogil
@cython.locals(x=cython.longlong, shown=cython.int, differs=cython.longlong)
cdef void differ(
    int[:, ::1] code, long long c, long long own, long long step, long long types, long long[::1] growth
) noexcept nogil
@cython.locals(x=cython.longlong, shown=cython.int, agrees=cython.longlong)
cdef void agree(
    int[:, ::1] code, long long c, long long own, long long step, long long types, long long[::1] growth
) noexcept nogil
@cython.locals(x=cython.longlong, shown=cython.int, hidden=cython.int, away=cython.int)
cdef void stand_apart(
    int[:, ::1] code, long long c, long long own, long long null, long long step, long long types, long long[::1] growth
) noexcept nogil
@cython.locals(x=cython.longlong, old=cython.int, hidden=cython.int, most=cython.int, side=cython.int, way=cython.int)
cdef void reach(
    int[:, ::1] code, long long c, long long end, long long own, long long null, long long step, long long types,
    long long[::1] growth
) noexcept nogil
@cython.locals(c=cython.longlong, x=cython.longlong, own=cython.int, differs=cython.ulonglong)
cdef void mark(int[:, ::1] code, long long r, long long types, unsigned long long[::1] differing) noexcept nogil
@cython.locals(x=cython.longlong, others=cython.ulonglong)
cdef void unmark(long long c, long long types, unsigned long long[::1] differing) noexcept nogil
