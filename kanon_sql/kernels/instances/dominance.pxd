cimport cython
from kanon_sql.kernels.instances.search cimport Search

cdef bint many_masks(Search search) noexcept nogil
@cython.locals(a=cython.longlong, code=cython.longlong)
cdef bint agree(Search search, long long first, long long last, long long column) noexcept nogil
@cython.locals(
    c=cython.longlong, q=cython.longlong, m=cython.longlong, bit=cython.ulonglong, mask=cython.ulonglong, more=cython.ulonglong
)
cdef bint dominated(Search search, long long first, long long last, long long p) noexcept nogil
@cython.locals(middle=cython.longlong, low=cython.longlong, high=cython.longlong)
cdef bint _listed(Search search, unsigned long long mask) noexcept nogil
