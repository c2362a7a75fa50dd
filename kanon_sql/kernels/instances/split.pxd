from kanon_sql.kernels.instances.search cimport Search

cdef long long limit_of_any(long long[::1] worth, int[::1] row, long long first, long long last) noexcept nogil
cdef long long limit_of_k_rows(Search search, long long first, long long last) noexcept nogil
cdef long long least_cost(Search search, long long low, long long high) noexcept nogil
cdef int split(
    Search search, long long first, long long last, long long column, long long low, long long high
) except -1 nogil
