cimport cython
from kanon_sql.kernels.projections.changes cimport found_at, short_by, word_change
from kanon_sql.kernels.projections.classes cimport SetClasses
from kanon_sql.kernels.projections.shortfall cimport toggle

@cython.locals(extra_cost=cython.longlong, start=cython.longlong, size=cython.longlong, part=cython.longlong, i=cython.longlong, s=cython.longlong)
cdef long long _too(SetClasses classes, long long r, long long c, unsigned long long bits, long long[::1] cost, long long[::1] penalty, long long most) noexcept nogil
cdef long long _moved(SetClasses classes, long long r, long long c, long long[::1] cost) noexcept nogil
@cython.locals(key=cython.ulonglong, change=cython.ulonglong, i=cython.longlong, c=cython.longlong)
cdef long long _short(SetClasses classes, long long r, long long s, unsigned long long bits) noexcept nogil
