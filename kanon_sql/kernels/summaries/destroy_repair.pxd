cimport cython
from kanon_sql.kernels.random cimport below
from kanon_sql.kernels.summaries.by_requirement cimport grow_by_requirement, repair_by_requirement
from kanon_sql.kernels.summaries.by_size cimport grow_by_size, repair_by_size
from kanon_sql.kernels.summaries.histograms cimport Histograms
from kanon_sql.kernels.summaries.measure cimport Measure
from kanon_sql.kernels.summaries.neighbourhoods cimport Classes, NeighbourhoodWorkspace, Shape, fits, list_rows, replace, select

@cython.locals(
    turn=cython.longlong, before=cython.longlong, limit=cython.longlong, loss=cython.longlong, a=cython.longlong,
    p=cython.longlong
)
cdef void _rebuild(
    int[:, ::1] codes, Measure measure, Classes classes, int[:, ::1] near, Shape shape, NeighbourhoodWorkspace work,
    long long steps, unsigned long long[::1] state, Histograms histograms
) noexcept nogil
@cython.locals(p=cython.longlong)
cdef long long _recreate(
    Measure measure, Shape shape, NeighbourhoodWorkspace work, long long turn, long long limit, unsigned long long[::1] state,
    Histograms histograms
) noexcept nogil
