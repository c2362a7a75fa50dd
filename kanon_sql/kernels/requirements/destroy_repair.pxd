cdef long long _rebuild(Neighbourhood work, double noise, double highest, unsigned long long[::1] state) noexcept nogil
cdef bint _assign_all(Neighbourhood work, double highest) noexcept nogil
cdef void _adapt_prices(Neighbourhood work, long long destroyed) noexcept nogil
cdef void _release(Assignment assignment, Neighbourhood work, long long i, long long j, long long rows) noexcept nogil
cdef void _destroy(Assignment assignment, Neighbourhood work, long long seed, unsigned long long[::1] state) noexcept nogil
cdef void _repair(Assignment assignment, Neighbourhood work) noexcept nogil
cdef double _gain(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
cdef void _open(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
