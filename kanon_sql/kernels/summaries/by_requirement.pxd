cimport cython
from kanon_sql.kernels.random cimport below
from kanon_sql.kernels.summaries.growth cimport NEVER, NewClasses, Unassigned, growth_of, open_class, show, widen
from kanon_sql.kernels.summaries.histograms cimport Histograms, add, class_meets, clear_histogram, joining, open_groups
from kanon_sql.kernels.summaries.measure cimport Measure
from kanon_sql.kernels.summaries.neighbourhoods cimport add_piece, first_row
from kanon_sql.kernels.summaries.remainder cimport class_of_remainder

@cython.locals(x=cython.longlong, best=cython.longlong, least=cython.longlong)
cdef long long _nearest(Unassigned unassigned, Histograms histograms) noexcept nogil
@cython.locals(
    x=cython.longlong, r=cython.longlong, rows=cython.longlong, own=cython.longlong, size=cython.longlong,
    begun=cython.longlong, available=cython.longlong, rest=cython.longlong, loss=cython.longlong, p=cython.longlong
)
cdef long long grow_by_requirement(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long k, long long turn, long long limit,
    unsigned long long[::1] state
) noexcept nogil
@cython.locals(a=cython.longlong, growth=cython.longlong, added=cython.longlong, best=cython.longlong, least=cython.longlong)
cdef long long _best(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long r, long long rows,
    long long turn
) noexcept nogil
@cython.locals(
    r=cython.longlong, c=cython.longlong, rows=cython.longlong, best=cython.longlong, placed=cython.longlong,
    waiting=cython.bint
)
cdef long long repair_by_requirement(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long turn
) noexcept nogil
