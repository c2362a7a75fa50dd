cimport cython
from kanon_sql.kernels.classes.move_log cimport add_by_row_type, added_cost, keep, log
from kanon_sql.kernels.classes.partition cimport SLOTS, place_of
from kanon_sql.kernels.random cimport below
from kanon_sql.kernels.requirements.assignment cimport Assignment, assign, has_surplus, tick, unassign
from kanon_sql.kernels.requirements.neighbourhood cimport Neighbourhood, list_near, replay, undo
from kanon_sql.kernels.requirements.selection cimport clear, select

@cython.locals(
    f=cython.longlong, attempt=cython.longlong, cost=cython.longlong, destroyed=cython.longlong, before=cython.longlong,
    most=cython.longlong, found=cython.bint
)
cdef long long _rebuild(Neighbourhood work, double noise, double highest, unsigned long long[::1] state) noexcept nogil
@cython.locals(f=cython.longlong, rest=cython.longlong)
cdef bint _assign_all(Neighbourhood work, double highest) noexcept nogil
@cython.locals(f=cython.longlong)
cdef void _adapt_prices(Neighbourhood work, long long destroyed) noexcept nogil
cdef void _release(Assignment assignment, Neighbourhood work, long long i, long long j, long long rows) noexcept nogil
@cython.locals(
    attempt=cython.longlong, i=cython.longlong, c=cython.longlong, place=cython.longlong, first=cython.longlong,
    j=cython.longlong, start=cython.longlong, span=cython.longlong
)
cdef void _destroy(Assignment assignment, Neighbourhood work, long long seed, unsigned long long[::1] state) noexcept nogil
@cython.locals(q=cython.longlong, top=cython.longlong, best=cython.longlong)
cdef void _repair(Assignment assignment, Neighbourhood work) noexcept nogil
@cython.locals(v=cython.longlong, rows=cython.longlong, gain=cython.double, j=cython.longlong, at=cython.longlong)
cdef double _gain(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
@cython.locals(
    s=cython.longlong, a=cython.longlong, i=cython.longlong, end=cython.longlong, rows=cython.longlong, j=cython.longlong,
    low=cython.longlong
)
cdef void _open(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
