cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64
from kanon_sql.kernels.classes.partition cimport SLOTS
from kanon_sql.kernels.requirements.assignment cimport Assignment, assign, class_meets, has_surplus, mark_seen, tick, unassign
from kanon_sql.kernels.requirements.candidates cimport Candidates, sort_by_price
from kanon_sql.kernels.requirements.selection cimport Selection, clear, select

cdef class Growth:
    cdef Assignment assignment
    cdef Candidates candidates
    cdef Selection selection
    cdef Candidates drawn
    cdef int[::1] source
    cdef long long moves
    cdef int[::1] moved_type
    cdef int[::1] moved_from
    cdef long long[::1] moved_rows

@cython.locals(a=cython.longlong, s=cython.longlong, attempt=cython.longlong, rows=cython.longlong, saved=cython.longlong)
cdef long long _grow(Growth growth, long long j) noexcept nogil
@cython.locals(
    s=cython.longlong, a=cython.longlong, i=cython.longlong, c=cython.longlong, place=cython.longlong, low=cython.longlong,
    n=cython.longlong, saves=cython.bint, tested=cython.longlong, is_new=cython.bint
)
cdef bint _list_drawn(Growth growth, long long j) noexcept nogil
@cython.locals(at=cython.longlong, noted=cython.longlong)
cdef bint _has_known_surplus(Assignment assignment, long long i, long long c) noexcept nogil
@cython.locals(c=cython.longlong)
cdef void _add_drawn(Growth growth, long long n, long long i, long long place) noexcept nogil
@cython.locals(v=cython.longlong, at=cython.longlong)
cdef void _start_from(Growth growth, long long j) noexcept nogil
@cython.locals(c=cython.longlong, best=cython.longlong, place=cython.longlong, rows=cython.longlong)
cdef long long _most_expensive(Assignment assignment, long long i, long long j) noexcept nogil
@cython.locals(
    s=cython.longlong, a=cython.longlong, i=cython.longlong, end=cython.longlong, wanted=cython.longlong, moved=cython.longlong,
    saved=cython.longlong
)
cdef long long _draw(Growth growth, long long j) noexcept nogil
@cython.locals(c=cython.longlong, moved=cython.longlong)
cdef long long _move(Growth growth, long long i, long long j, long long wanted) noexcept nogil
