cimport cython
from kanon_sql.kernels.instances.groups cimport trailing_zeros
from kanon_sql.kernels.random cimport below
from kanon_sql.kernels.summaries.growth cimport NEVER, NewClasses, Unassigned, growth_of, open_class, show, widen
from kanon_sql.kernels.summaries.measure cimport Measure
from kanon_sql.kernels.summaries.neighbourhoods cimport Shape, add_piece, first_row

@cython.locals(
    x=cython.longlong, r=cython.longlong, rows=cython.longlong, needed=cython.longlong, divide=cython.bint, by_gain=cython.bint,
    rest=cython.longlong, loss=cython.longlong, p=cython.longlong
)
cdef long long grow_by_size(
    Measure measure, Shape shape, Unassigned unassigned, NewClasses new, long long turn, long long limit,
    unsigned long long[::1] state
) noexcept nogil
@cython.locals(
    r=cython.longlong, a=cython.longlong, c=cython.longlong, best=cython.longlong, least=cython.longlong,
    growth=cython.longlong, added=cython.longlong
)
cdef bint repair_by_size(Measure measure, Unassigned unassigned, NewClasses new, long long p, long long turn) noexcept nogil
@cython.locals(
    x=cython.longlong, c=cython.longlong, gained=cython.longlong, ratio=cython.double, rest=cython.ulonglong,
    best=cython.longlong, least=cython.double
)
cdef long long _best_gain(Measure measure, Unassigned unassigned, NewClasses new, long long needed) noexcept nogil
@cython.locals(x=cython.longlong, best=cython.longlong, least=cython.longlong)
cdef long long _least_growth(Unassigned unassigned) noexcept nogil
