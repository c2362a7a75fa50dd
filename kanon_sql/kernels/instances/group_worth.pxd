from kanon_sql.kernels.instances.search cimport Search

cdef long long worth_of(long long[::1] worth, int[::1] row, long long first, long long last) noexcept nogil
cdef long long paid(Search search, long long first, long long last) noexcept nogil
