cimport cython
from kanon_sql.kernels.projections.classes cimport SetClasses, key_of, missing

cdef bint strict(long long penalty) noexcept nogil
cdef long long most_short(long long penalty, long long affordable) noexcept nogil
@cython.locals(place=cython.longlong)
cdef long long found_at(SetClasses classes, unsigned long long key) noexcept nogil
cdef unsigned long long word_change(SetClasses classes, long long r, long long c) noexcept nogil
@cython.locals(short=cython.longlong, i=cython.longlong, n=cython.longlong, s=cython.longlong, sets=cython.longlong, done=cython.longlong, begin=cython.longlong, key=cython.ulonglong, change=cython.ulonglong, c=cython.longlong)
cdef long long changed_cells(SetClasses classes, long long r, unsigned long long bits, long long most) noexcept nogil
@cython.locals(key=cython.ulonglong)
cdef void find(SetClasses classes, long long r, long long s, unsigned long long change, long long n) noexcept nogil
@cython.locals(short=cython.longlong, i=cython.longlong)
cdef long long _short(SetClasses classes, long long r, long long n) noexcept nogil
@cython.locals(short=cython.longlong, rows=cython.longlong)
cdef long long short_by(SetClasses classes, long long weight, long long need, long long left, long long joined) noexcept nogil
@cython.locals(key=cython.ulonglong)
cdef bint bars(SetClasses classes, long long r, long long s, unsigned long long change) noexcept nogil
@cython.locals(first=cython.ulonglong, second=cython.ulonglong, short=cython.longlong, i=cython.longlong, n=cython.longlong, s=cython.longlong, start=cython.longlong, size=cython.longlong, part=cython.longlong, done=cython.longlong, begin=cython.longlong)
cdef long long changed(SetClasses classes, long long r, long long c, long long other, long long most) noexcept nogil
@cython.locals(first=cython.ulonglong, second=cython.ulonglong, i=cython.longlong, s=cython.longlong, start=cython.longlong, size=cython.longlong, part=cython.longlong)
cdef bint breaks(SetClasses classes, long long r, long long c, long long other) noexcept nogil
