cimport cython
from kanon_sql.kernels.arrays cimport empty_int32_2d, empty_int64
from kanon_sql.kernels.partitions.duals cimport Duals, cut_prices_of_all, cut_prices_of_both
from kanon_sql.kernels.partitions.simplices cimport Simplices, fit, pair_costs, row_cost, tie_break_of_three, tie_break_of_two

cdef class _Found:
    cdef long long size
    cdef int[:, ::1] member
    cdef long long[::1] reduced

cdef int _grow(_Found found) except -1 with gil
cdef long long _add(_Found found, long long reduced) except -1 nogil
@cython.locals(b=cython.longlong, cost=cython.longlong, place=cython.longlong)
cdef int _find_partners(
    Simplices s, Duals duals, long long slack, long long limit, long long a, long long[::1] row, _Found found
) except -1 nogil
@cython.locals(row=cython.longlong, cost=cython.longlong, twice=cython.longlong, place=cython.longlong)
cdef int _try_triple(
    Simplices s, Duals duals, long long slack, long long a, long long b, long long c, _Found found
) except -1 nogil
