cdef bint many_masks(Search search) noexcept nogil
cdef bint agree(Search search, long long first, long long last, long long column) noexcept nogil
cdef bint dominated(Search search, long long first, long long last, long long p) noexcept nogil
cdef bint _listed(Search search, unsigned long long mask) noexcept nogil
