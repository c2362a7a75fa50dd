cimport cython
from kanon_sql.kernels.projections.changes cimport breaks, changed, found_at, most_short, strict, word_change
from kanon_sql.kernels.projections.classes cimport SetClasses, crowded, key_of, place_of
from kanon_sql.kernels.projections.shortfall cimport fails, toggle
from kanon_sql.kernels.projections.row_changes cimport may, other_row, two_for_one
from kanon_sql.kernels.random cimport below

@cython.locals(columns=cython.longlong, kind=cython.longlong, s=cython.longlong, r=cython.longlong, c=cython.longlong, n=cython.longlong, other=cython.longlong, moved=cython.longlong, short=cython.longlong, most=cython.longlong)
cdef long long _step(SetClasses classes, long long[::1] active, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
@cython.locals(change=cython.ulonglong, size=cython.longlong, s=cython.longlong)
cdef long long _barring(SetClasses classes, long long r, long long c, unsigned long long[::1] state) noexcept nogil
@cython.locals(first=cython.longlong, size=cython.longlong, start=cython.longlong, i=cython.longlong, c=cython.longlong)
cdef long long _shown(SetClasses classes, long long r, long long s, unsigned long long[::1] state) noexcept nogil
@cython.locals(best=cython.longlong, i=cython.longlong, other=cython.longlong, key=cython.ulonglong, n=cython.longlong, moved=cython.longlong, short=cython.longlong)
cdef long long _whole_class(SetClasses classes, long long r, long long s, long long c, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
@cython.locals(r=cython.longlong, c=cython.longlong, mask=cython.ulonglong, moved=cython.longlong, short=cython.longlong, changed=cython.ulonglong, shown=cython.uchar)
cdef long long _other_mask(SetClasses classes, long long[::1] active, long long[::1] cost, unsigned long long[::1] masks, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
