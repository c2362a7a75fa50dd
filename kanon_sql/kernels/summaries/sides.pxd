cimport cython
from kanon_sql.kernels.arrays cimport zeros_int64
from kanon_sql.kernels.criteria.dispatch cimport meets
from kanon_sql.kernels.criteria.encoded cimport CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.summaries.measure cimport Measure, Summary, clear, join

cdef class Sides:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef long long[::1] whole
    cdef long long[::1] one
    cdef long long[::1] other
    cdef long long[::1] small
    cdef bint fair
    cdef long long[::1] in_group
    cdef long long[::1] dealt

@cython.locals(v=cython.longlong)
cdef void clear_one(Sides sides) noexcept nogil
@cython.locals(b=cython.longlong)
cdef void add_to_one(Sides sides, long long i, long long rows) noexcept nogil
@cython.locals(v=cython.longlong)
cdef bint both_meet(Sides sides, long long rows, long long others) noexcept nogil
@cython.locals(v=cython.longlong, turn=cython.longlong, above=cython.longlong, below=cython.longlong, size=cython.longlong)
cdef bint _is_fair(Sides sides, long long[::1] held, long long rows) noexcept nogil
@cython.locals(
    a=cython.longlong, i=cython.longlong, g=cython.longlong, one_loss=cython.longlong, total=cython.longlong,
    rows=cython.longlong, size=cython.longlong, last=cython.longlong, spread=cython.longlong
)
cdef (long long, long long) halve(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, int[::1] group, long long[::1] order,
    long long types, Summary side, long long[::1] moved
) noexcept nogil
