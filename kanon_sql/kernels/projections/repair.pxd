cimport cython
from kanon_sql.kernels.projections.changes cimport changed_cells
from kanon_sql.kernels.projections.classes cimport SetClasses
from kanon_sql.kernels.projections.shortfall cimport toggle

@cython.locals(c=cython.longlong, moved=cython.longlong)
cdef long long _value(SetClasses classes, long long r, unsigned long long bits, long long[::1] cost, long long penalty, long long lowest) noexcept nogil
