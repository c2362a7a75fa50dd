cimport cython
from kanon_sql.kernels.arrays cimport empty_int64
from kanon_sql.kernels.summaries.measure cimport RANGE, Measure, Summary, clear, join, steps
from kanon_sql.kernels.summaries.sides cimport Sides, add_to_one, both_meet, clear_one

cdef class CutWorkspace:
    cdef int[:, ::1] by_column
    cdef Summary whole
    cdef Summary side
    cdef long long[::1] start
    cdef long long size
    cdef long long[::1] order
    cdef long long[::1] before
    cdef long long[::1] gone
    cdef long long[::1] half
    cdef long long[::1] moved

@cython.locals(a=cython.longlong, i=cython.longlong, code=cython.longlong, values=cython.longlong)
cdef void sort_by(Measure measure, long long[::1] member, long long first, long long c, CutWorkspace work) noexcept nogil
@cython.locals(
    a=cython.longlong, i=cython.longlong, loss=cython.longlong, k=cython.longlong, total=cython.longlong,
    spread=cython.longlong, least=cython.longlong, place=cython.longlong, above=cython.longlong
)
cdef (long long, long long) cut_between(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, long long c, CutWorkspace work
) noexcept nogil
@cython.locals(
    c=cython.longlong, low=cython.longlong, high=cython.longlong, first=cython.longlong, null=cython.longlong,
    stays=cython.bint, spread=cython.longlong
)
cdef long long _without(Measure measure, CutWorkspace work) noexcept nogil
@cython.locals(
    a=cython.longlong, d=cython.longlong, i=cython.longlong, place=cython.longlong, high=cython.longlong, rows=cython.longlong,
    spread=cython.longlong, loss=cython.longlong, k=cython.longlong, total=cython.longlong, least=cython.longlong,
    first=cython.longlong, last=cython.longlong, low=cython.longlong
)
cdef (long long, long long, long long) separate_code(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, long long c, CutWorkspace work
) noexcept nogil
