cdef class RepairWorkspace:
    cdef readonly long long size
    cdef long long types
    cdef int[::1] row, cheapest_open
    cdef long long[::1] own, price, learnt
    cdef int[::1] vain
    cdef long long[::1] rows, capped_price
    cdef int[::1] fallback
    cdef MoveLog moves
    cdef long long[::1] top_up
    cdef long long closed
    cdef int[::1] instance
    cdef long long[::1] begin
    cdef int[::1] entry
    cdef long long[::1] value
    cdef int[::1] gaining, number, listed
    cdef long long[::1] listed_end, fitting, filled, wanted

cdef void undo(Partition partition, MoveLog moves, long long first) noexcept nogil
cdef void replay(Partition partition, MoveLog moves) noexcept nogil
