cimport cython
from kanon_sql.kernels.projections.changes cimport changed_cells, most_short, strict
from kanon_sql.kernels.projections.classes cimport SetClasses
from kanon_sql.kernels.projections.shortfall cimport toggle
from kanon_sql.kernels.random cimport below

@cython.locals(neighbour=cython.longlong)
cdef bint may(SetClasses classes, long long r, long long c) noexcept nogil
@cython.locals(bits=cython.ulonglong, q=cython.longlong, c=cython.longlong, d=cython.longlong)
cdef long long other_row(SetClasses classes, long long r, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
@cython.locals(columns=cython.longlong, bits=cython.ulonglong, c=cython.longlong, n=cython.longlong)
cdef long long two_for_one(SetClasses classes, long long r, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
@cython.locals(c=cython.longlong, moved=cython.longlong, most=cython.longlong)
cdef long long _turned(SetClasses classes, long long r, unsigned long long bits, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
