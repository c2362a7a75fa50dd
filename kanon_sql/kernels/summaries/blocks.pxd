from kanon_sql.kernels.summaries.measure cimport Measure

cpdef enum:
    BLOCK = 16
    GROUP = 256

cdef class RowTypeGroups:
    cdef int[:, ::1] packed
    cdef unsigned long long[:, ::1] has
    cdef long long[:, ::1] low
    cdef long long[:, ::1] high
    cdef long long unit
    cdef long long slack
    cdef short[::1] step
    cdef short[:, :, ::1] place
    cdef short[:, ::1] far

cdef long long units(RowTypeGroups groups, long long distance) noexcept nogil
cdef bint is_far(
    Measure measure, RowTypeGroups groups, long long p, long long g, long long side, long long limit
) noexcept nogil
