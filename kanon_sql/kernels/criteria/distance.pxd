cdef bint within(EncodedRequirement required, long long q, long long work, long long rows) noexcept nogil
cdef bint within_surely(EncodedRequirement required, long long q, double work, long long rows) noexcept nogil
cdef bint may_be_within(EncodedRequirement required, long long q, double moved, long long size) noexcept nogil
