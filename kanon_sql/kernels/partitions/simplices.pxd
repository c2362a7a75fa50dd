cdef class Simplices:
    cdef readonly int[:, ::1] codes
    cdef int[:, ::1] by_column
    cdef readonly long long[::1] weight, apart, cost, cheapest
    cdef readonly long long unit, spread

cdef long long tie_break_of_two(Simplices s, long long a, long long b) noexcept nogil
cdef long long tie_break_of_three(Simplices s, long long a, long long b, long long c) noexcept nogil
cdef long long row_cost(Simplices s, long long a, long long b, long long c) noexcept nogil
cdef void pair_costs(Simplices s, long long a, long long first, int[::1] agreed, long long[::1] row) noexcept nogil
cdef void _add_agreed(int[::1] codes, int own, int bit, long long first, int[::1] agreed) noexcept nogil
cdef void _add_hidden(int[::1] codes, int own, long long cost, long long first, long long[::1] row) noexcept nogil
cdef bint fit(Simplices s, long long a, long long b) noexcept nogil
cdef long long _class_cost(Simplices s, long long a, long long b, long long c) noexcept nogil
cdef void _nearest(Simplices s, long long a, long long[::1] row, long long[::1] best, int[::1] found) noexcept nogil
cdef long long _jitter(long long a, long long b) noexcept nogil
