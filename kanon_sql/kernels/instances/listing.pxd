cimport cython
from kanon_sql.kernels.instances.dominance cimport agree, dominated, many_masks
from kanon_sql.kernels.instances.search cimport Search, keep, wait
from kanon_sql.kernels.instances.split cimport least_cost, limit_of_any, limit_of_k_rows, split

@cython.locals(
    a=cython.longlong, i=cython.longlong, p=cython.longlong, first=cython.longlong, last=cython.longlong, top=cython.longlong
)
cdef int _list_some(Search search, long long work) except -2 nogil
@cython.locals(
    m=cython.longlong, first=cython.longlong, last=cython.longlong, column=cython.longlong, low=cython.longlong,
    high=cython.longlong, middle=cython.longlong
)
cdef long long _decide(Search search, long long top) except -2 nogil
@cython.locals(middle=cython.longlong)
cdef long long _first_hiding(Search search, long long low, long long high, unsigned long long bit) noexcept nogil
@cython.locals(
    a=cython.longlong, j=cython.longlong, first=cython.longlong, last=cython.longlong, kept=cython.longlong,
    size=cython.longlong
)
cdef void _drop_useless(Search search) noexcept nogil
