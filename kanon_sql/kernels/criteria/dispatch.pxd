cimport cython
from kanon_sql.kernels.criteria cimport count, distinct, entropy, equal, frequency, matrix, recursive, shares, tree
from kanon_sql.kernels.criteria.encoded cimport COUNT, DISTINCT, ENTROPY, EQUAL, FREQUENCY, RECURSIVE, SHARES, TREE, CriteriaWorkspace, EncodedRequirement
from kanon_sql.kernels.criteria.part cimport Part

cpdef bint meets(
    EncodedRequirement required, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cpdef double shortfall(
    EncodedRequirement required, CriteriaWorkspace work, long long[::1] h, long long at, long long rows
) noexcept nogil
cpdef bint may_meet(
    EncodedRequirement required, CriteriaWorkspace work, long long[::1] h, long long at, long long rows, long long size
) noexcept nogil

@cython.locals(kind=cython.longlong)
cdef bint criterion_meets(
    EncodedRequirement required, CriteriaWorkspace work, long long q, long long[::1] h, long long at, long long rows
) noexcept nogil
@cython.locals(kind=cython.longlong)
cdef double criterion_shortfall(
    EncodedRequirement required, CriteriaWorkspace work, long long q, long long[::1] h, long long at, long long rows
) noexcept nogil
cdef long long largest(Part part, long long total) noexcept nogil
