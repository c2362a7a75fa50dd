cimport cython
from kanon_sql.kernels.arrays cimport zeros_int32, zeros_int32_2d, zeros_int64, zeros_uint64, zeros_uint8
from kanon_sql.kernels.instances.bit_slices cimport Agreement, Values, compare, next_taken, take_nearest
from kanon_sql.kernels.instances.column_sets cimport count_columns, differing_columns

cdef class Near:
    cdef long long[:, ::1] price
    cdef long long alike
    cdef int[::1] row_type
    cdef unsigned long long[::1] differing
    cdef long long[::1] rows
    cdef unsigned short[:, ::1] together
    cdef unsigned char[::1] kept
    cdef int[:, ::1] fits
    cdef long long size
    cdef long long tried

@cython.locals(rows=cython.longlong, tried=cython.longlong, few=cython.bint, some=cython.bint, distance=cython.longlong)
cdef long long _class_cost(
    Near near, Values values, Agreement agreement, long long[::1] weight, long long i, long long k, long long step
) noexcept nogil
@cython.locals(b=cython.longlong, total=cython.longlong)
cdef long long _cost(Near near, unsigned long long columns) noexcept nogil
@cython.locals(a=cython.longlong, b=cython.longlong, both=cython.longlong, first=cython.longlong, j=cython.longlong)
cdef (long long, bint) _gather(
    Near near, Values values, Agreement agreement, long long[::1] weight, long long i, long long rows
) noexcept nogil
@cython.locals(a=cython.longlong, b=cython.longlong, rows=cython.longlong, left=cython.longlong, changed=cython.bint)
cdef bint _has_class(Near near, long long most, long long need) noexcept nogil
@cython.locals(a=cython.longlong, b=cython.longlong, more=cython.ulonglong, fitting=cython.longlong, rows=cython.longlong)
cdef bint _may_grow(
    Near near, long long depth, long long left, unsigned long long columns, long long need, long long most
) noexcept nogil
