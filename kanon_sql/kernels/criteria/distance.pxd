cimport cython
from kanon_sql.kernels.criteria.encoded cimport EncodedRequirement

cdef bint within(EncodedRequirement required, long long q, long long work, long long rows) noexcept nogil
@cython.locals(limit=cython.double)
cdef bint within_surely(EncodedRequirement required, long long q, double work, long long rows) noexcept nogil
@cython.locals(ratio=cython.double)
cdef bint may_be_within(EncodedRequirement required, long long q, double moved, long long size) noexcept nogil
