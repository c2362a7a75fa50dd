cdef class Duals:
    cdef readonly long long[::1] price, cut_price, first
    cdef readonly int[::1] cut

cdef long long cut_prices_of_both(Duals duals, long long a, long long b) noexcept nogil
cdef long long cut_prices_of_all(Duals duals, long long a, long long b, long long c) noexcept nogil
