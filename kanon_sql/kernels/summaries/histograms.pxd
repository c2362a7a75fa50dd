cdef class Histograms:
    cdef EncodedRequirement required
    cdef CriteriaWorkspace work
    cdef int[:, ::1] counter
    cdef int[::1] group_of
    cdef long long classes, places, counters
    cdef long long[::1] held
    cdef int[::1] group
    cdef unsigned char[::1] closed
    cdef long long tests, test_cost

cdef void clear_histogram(Histograms histograms, long long p) noexcept nogil
cdef void add(Histograms histograms, long long p, long long g, long long rows) noexcept nogil
cdef bint class_meets(Histograms histograms, long long p, long long rows) noexcept nogil
cdef void open_groups(Histograms histograms) noexcept nogil
cdef long long joining(
    Histograms histograms, long long p, long long g, long long most, long long rows, long long size
) noexcept nogil
