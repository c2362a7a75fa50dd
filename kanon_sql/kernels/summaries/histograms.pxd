cimport cython
from kanon_sql.kernels.arrays cimport zeros_int32, zeros_int64, zeros_uint8
from kanon_sql.kernels.criteria.dispatch cimport may_meet, meets
from kanon_sql.kernels.criteria.encoded cimport MATRIX, CriteriaWorkspace, EncodedRequirement

cdef class Histograms:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef int[:, ::1] counter
    cdef int[::1] group_of
    cdef long long classes
    cdef long long places
    cdef long long counters
    cdef long long[::1] held
    cdef int[::1] group
    cdef unsigned char[::1] closed
    cdef long long tests
    cdef long long test_cost

@cython.locals(v=cython.longlong)
cdef void clear_histogram(Histograms histograms, long long p) noexcept nogil
@cython.locals(b=cython.longlong)
cdef void add(Histograms histograms, long long p, long long g, long long rows) noexcept nogil
cdef bint class_meets(Histograms histograms, long long p, long long rows) noexcept nogil
@cython.locals(g=cython.longlong)
cdef void open_groups(Histograms histograms) noexcept nogil
@cython.locals(may=cython.bint, at=cython.longlong)
cdef long long joining(
    Histograms histograms, long long p, long long g, long long most, long long rows, long long size
) noexcept nogil
