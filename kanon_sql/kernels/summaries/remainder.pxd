cimport cython
from kanon_sql.kernels.criteria.dispatch cimport shortfall
from kanon_sql.kernels.summaries.growth cimport NewClasses, Unassigned, growth_of, open_class, show
from kanon_sql.kernels.summaries.histograms cimport Histograms, add, class_meets, clear_histogram
from kanon_sql.kernels.summaries.measure cimport Measure
from kanon_sql.kernels.summaries.neighbourhoods cimport add_piece

@cython.locals(own=cython.longlong, r=cython.longlong, rows=cython.longlong, a=cython.longlong, q=cython.longlong)
cdef long long class_of_remainder(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long p, long long turn
) noexcept nogil
@cython.locals(c=cython.longlong)
cdef void _include(
    Measure measure, Histograms histograms, Unassigned unassigned, NewClasses new, long long a, long long r, long long rows,
    long long turn
) noexcept nogil
@cython.locals(
    counters=cython.longlong, a=cython.longlong, v=cython.longlong, rows=cython.longlong, best=cython.longlong,
    before=cython.double, gain=cython.double, price=cython.double, least=cython.double
)
cdef long long _most_helpful(Histograms histograms, NewClasses new, long long p, long long own) noexcept nogil
@cython.locals(n=cython.longlong, a=cython.longlong, q=cython.longlong)
cdef long long _numbered(NewClasses new, long long p, long long own) noexcept nogil
