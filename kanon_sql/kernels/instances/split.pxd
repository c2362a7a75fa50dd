cdef long long limit_of_any(long long[::1] price_limit, int[::1] row, long long first, long long last) noexcept nogil
cdef long long limit_of_k_rows(Search search, long long first, long long last) noexcept nogil
cdef long long least_cost(Search search, long long low, long long high) noexcept nogil
cdef int split(Search search, long long first, long long last, long long column, long long low, long long high) except -1 nogil
cdef long long _sum_prices(Search search, long long first, long long last, long long column) noexcept nogil
cdef long long _find_tops(Search search, long long first, long long last, long long column) noexcept nogil
cdef long long _add_code(Search search, long long values, long long code, long long best) noexcept nogil
cdef void _hand_out(Search search, long long first, long long last, long long column) noexcept nogil
