cimport cython
from kanon_sql.kernels.arrays cimport empty_float64, empty_int32, empty_int64, full_int32, zeros_int64
from kanon_sql.kernels.classes.move_log cimport MoveLog
from kanon_sql.kernels.requirements.assignment cimport Assignment, assign, unassign
from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.requirements.selection cimport Selection

cdef class Neighbourhood:
    cdef readonly Assignment assignment
    cdef Selection selection
    cdef Candidates candidates
    cdef long long size
    cdef long long types
    cdef int[::1] row
    cdef long long[::1] rows
    cdef double[::1] price
    cdef MoveLog moves
    cdef long long[::1] own
    cdef double[::1] adapted
    cdef long long near
    cdef int[::1] instance
    cdef double[::1] value
    cdef int[::1] order
    cdef int[::1] number
    cdef long long[::1] fitting
    cdef long long[::1] begin
    cdef long long[::1] filled
    cdef int[::1] entry
    cdef long long[::1] count

@cython.locals(q=cython.longlong, n=cython.longlong)
cdef void list_near(Assignment assignment, Neighbourhood work) noexcept nogil
@cython.locals(f=cython.longlong, i=cython.longlong, place=cython.longlong, n=cython.longlong)
cdef long long _sort_rows(Neighbourhood work) noexcept nogil
@cython.locals(
    f=cython.longlong, i=cython.longlong, j=cython.longlong, a=cython.longlong, q=cython.longlong, many=cython.longlong
)
cdef void _list_instances(Assignment assignment, Neighbourhood work, long long n) noexcept nogil
@cython.locals(f=cython.longlong, a=cython.longlong, q=cython.longlong)
cdef void _list_entries(Assignment assignment, Neighbourhood work, long long n) noexcept nogil
@cython.locals(
    a=cython.longlong, i=cython.longlong, j=cython.longlong, missing=cython.longlong, surplus=cython.double, gain=cython.double
)
cdef double _most_gain(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
@cython.locals(a=cython.longlong, s=cython.longlong, g=cython.longlong, low=cython.longlong, high=cython.longlong)
cdef void _group_entries(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
@cython.locals(a=cython.longlong)
cdef void undo(Assignment assignment, MoveLog moves, long long first) noexcept nogil
@cython.locals(a=cython.longlong)
cdef void replay(Assignment assignment, MoveLog moves) noexcept nogil
