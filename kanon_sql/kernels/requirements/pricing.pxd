cimport cython
from kanon_sql.kernels.requirements.candidates cimport Candidates, sort_by_price
from kanon_sql.kernels.requirements.selection cimport Selection, clear, select

@cython.locals(
    j=cython.longlong, s=cython.longlong, a=cython.longlong, i=cython.longlong, low=cython.longlong, high=cython.longlong,
    rows=cython.longlong, highest=cython.double, total=cython.double
)
cdef double _cover(
    Selection selection, Candidates candidates, long long[::1] cost, long long chunk_first, long long chunk_last, double floor,
    long long[::1] covered, double[::1] surplus
) noexcept nogil
