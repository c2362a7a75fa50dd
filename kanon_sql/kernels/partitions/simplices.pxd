cdef class Simplices:
    cdef readonly int[:, ::1] codes
    cdef readonly int[:, ::1] by_column
    cdef readonly long long[::1] weight
    cdef readonly long long[::1] apart
    cdef readonly long long[::1] cost
    cdef readonly long long[::1] cheapest
    cdef readonly long long unit
    cdef readonly long long spread

cdef long long tie_break_of_two(Simplices s, long long a, long long b) noexcept nogil
cdef long long tie_break_of_three(Simplices s, long long a, long long b, long long c) noexcept nogil
cdef long long row_cost(Simplices s, long long a, long long b, long long c) noexcept nogil
cdef void pair_costs(Simplices s, long long a, long long first, int[::1] agreed, long long[::1] row) noexcept nogil
cdef bint fit(Simplices s, long long a, long long b) noexcept nogil
