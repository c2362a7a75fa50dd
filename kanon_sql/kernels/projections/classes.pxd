cimport cython
from kanon_sql.kernels.random cimport below

cdef class SetClasses:
    cdef readonly unsigned long long[:, ::1] word
    cdef readonly unsigned long long[::1] hidden_word
    cdef readonly long long[::1] weight
    cdef readonly long long[::1] set_start
    cdef readonly int[::1] member
    cdef readonly long long[::1] of_start
    cdef readonly int[::1] of_set
    cdef readonly long long[::1] need
    cdef readonly unsigned long long[:, ::1] cell
    cdef readonly unsigned char[:, ::1] hidden
    cdef readonly unsigned long long[::1] key
    cdef readonly long long[::1] rows
    cdef readonly long long last
    cdef readonly long long used

@cython.locals(key=cython.ulonglong, i=cython.longlong)
cdef unsigned long long key_of(SetClasses classes, long long r, long long s) noexcept nogil
@cython.locals(place=cython.longlong)
cdef long long place_of(SetClasses classes, unsigned long long key) noexcept nogil
@cython.locals(before=cython.ulonglong, after=cython.ulonglong, rows=cython.longlong, short=cython.longlong, i=cython.longlong, s=cython.longlong, need=cython.longlong, key=cython.ulonglong, place=cython.longlong)
cdef long long toggle(SetClasses classes, long long r, long long c) noexcept nogil
cdef long long _short(long long rows, long long need) noexcept nogil
@cython.locals(columns=cython.longlong, r=cython.longlong, c=cython.longlong, other=cython.longlong, moved=cython.longlong, short=cython.longlong, share=cython.longlong)
cdef long long _step(SetClasses classes, long long[::1] active, long long[::1] cost, long long penalty, long long threshold, unsigned long long[::1] state) noexcept nogil
