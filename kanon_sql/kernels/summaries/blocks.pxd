from kanon_sql.kernels.summaries.measure cimport Measure

cpdef enum:
    BLOCK = 16
    GROUP = 16

cdef class Parts:
    cdef long long size
    cdef unsigned long long[:, ::1] has
    cdef long long[:, ::1] low
    cdef long long[:, ::1] high

cdef class Ordered:
    cdef int[:, ::1] packed
    cdef unsigned long long[::1] bit
    cdef unsigned long long[::1] null_bit
    cdef long long[::1] group_of
    cdef long long[::1] group_distance

cdef unsigned long long bit_of(long long code) noexcept nogil
cdef void fill(Measure measure, Ordered rows, Parts parts) noexcept nogil
cdef bint is_far(
    Measure measure, Ordered rows, Parts blocks, Parts groups, long long p, long long b, long long limit
) noexcept nogil
