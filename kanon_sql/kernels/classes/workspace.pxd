cdef class RepairWorkspace:
    cdef readonly long long size
    cdef long long types
    cdef int[::1] row
    cdef int[::1] cheapest_open
    cdef long long[::1] own
    cdef long long[::1] price
    cdef long long[::1] learnt
    cdef int[::1] vain
    cdef long long[::1] rows
    cdef long long[::1] capped_price
    cdef int[::1] fallback
    cdef MoveLog moves
    cdef long long[::1] top_up
    cdef long long closed
    cdef int[::1] instance
    cdef long long[::1] begin
    cdef int[::1] entry
    cdef long long[::1] value
    cdef int[::1] gaining
    cdef int[::1] number
    cdef int[::1] listed
    cdef long long[::1] listed_end
    cdef long long[::1] fitting
    cdef long long[::1] filled
    cdef long long[::1] wanted

cdef void undo(Partition partition, MoveLog moves, long long first) noexcept nogil
cdef void replay(Partition partition, MoveLog moves) noexcept nogil
