cimport cython
from kanon_sql.kernels.instances.search cimport Search, wait

@cython.locals(a=cython.longlong, top=cython.longlong)
cdef long long limit_of_any(long long[::1] price_limit, int[::1] row, long long first, long long last) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, need=cython.longlong, total=cython.longlong)
cdef long long limit_of_k_rows(Search search, long long first, long long last) noexcept nogil
@cython.locals(level=cython.longlong, width=cython.longlong)
cdef long long least_cost(Search search, long long low, long long high) noexcept nogil
@cython.locals(
    v=cython.longlong, code=cython.longlong, size=cython.longlong, matters=cython.bint, values=cython.longlong,
    floor=cython.longlong, source=cython.longlong, place=cython.longlong
)
cdef int split(Search search, long long first, long long last, long long column, long long low, long long high) except -1 nogil
@cython.locals(a=cython.longlong, i=cython.longlong, code=cython.longlong, values=cython.longlong)
cdef long long _sum_prices(Search search, long long first, long long last, long long column) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, code=cython.longlong, values=cython.longlong, copy=cython.longlong)
cdef long long _find_tops(Search search, long long first, long long last, long long column) noexcept nogil
cdef long long _add_code(Search search, long long values, long long code, long long best) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, code=cython.longlong)
cdef void _hand_out(Search search, long long first, long long last, long long column) noexcept nogil
