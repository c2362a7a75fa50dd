cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64

cdef class MoveLog:
    cdef long long count
    cdef int[::1] row_type
    cdef int[::1] number
    cdef long long[::1] rows
    cdef long long kept
    cdef int[::1] kept_type
    cdef int[::1] kept_number
    cdef long long[::1] kept_rows

cdef void log(MoveLog moves, long long i, long long j, long long rows) noexcept nogil
@cython.locals(a=cython.longlong, added=cython.longlong)
cdef long long added_cost(MoveLog moves, long long[::1] cost, long long first) noexcept nogil
@cython.locals(a=cython.longlong)
cdef void add_by_row_type(MoveLog moves, long long[::1] cost, long long first, long long[::1] total) noexcept nogil
@cython.locals(a=cython.longlong)
cdef void keep(MoveLog moves, long long first) noexcept nogil
