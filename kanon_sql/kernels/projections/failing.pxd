cimport cython
from kanon_sql.kernels.projections.changes cimport found_at
from kanon_sql.kernels.projections.classes cimport SetClasses, missing

@cython.locals(key=cython.ulonglong, i=cython.longlong, c=cython.longlong)
cdef unsigned long long _key(SetClasses classes, long long r, long long s, unsigned long long part) noexcept nogil
