cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64
from kanon_sql.kernels.summaries.blocks cimport BLOCK, GROUP, RowTypeGroups, is_far, units
from kanon_sql.kernels.summaries.cheapest cimport ClassSearch, cheapest
from kanon_sql.kernels.summaries.measure cimport RANGE, Measure

cdef class Closest:
    cdef long long most
    cdef long long many
    cdef int[::1] row_type
    cdef long long[::1] distance
    cdef long long limit
    cdef long long units

@cython.locals(c=cython.longlong, one=cython.longlong, other=cython.longlong, far=cython.longlong, distance=cython.longlong)
cdef long long _distance(Measure measure, RowTypeGroups groups, long long p, long long q, long long limit) noexcept nogil
cdef long long _added(long long[::1] weight, int[::1] person, long long[::1] seen, long long r, long long turn) noexcept nogil
@cython.locals(p=cython.longlong, i=cython.longlong, place=cython.longlong, rows=cython.longlong, s=cython.longlong)
cdef void _nearest(
    long long[::1] weight, int[::1] person, long long[::1] seen, Measure measure, RowTypeGroups groups, long long k,
    long long[::1] member, long long every, long long reach, int[:, ::1] near, Closest closest, long long[::1] found,
    ClassSearch search
) noexcept nogil
@cython.locals(many=cython.longlong, limit=cython.longlong, loss=cython.longlong)
cdef long long _cheapest(ClassSearch search, long long i, Closest closest) noexcept nogil
@cython.locals(
    b=cython.longlong, side=cython.longlong, remaining=cython.longlong, passed=cython.longlong, own=cython.longlong,
    blocks=cython.longlong, left=cython.longlong, right=cython.longlong
)
cdef void _find_nearest(
    Measure measure, RowTypeGroups groups, long long p, long long[::1] member, long long reach, Closest closest
) noexcept nogil
cdef long long _remaining(long long b, long long side) noexcept nogil
@cython.locals(q=cython.longlong, distance=cython.longlong, first=cython.longlong)
cdef void _compare_block(
    Measure measure, RowTypeGroups groups, long long p, long long[::1] member, long long b, long long side, Closest closest
) noexcept nogil
cdef void _clear(Closest closest, RowTypeGroups groups) noexcept nogil
@cython.locals(place=cython.longlong)
cdef void _keep(Closest closest, RowTypeGroups groups, long long i, long long distance) noexcept nogil
