cdef class Greedy:
    cdef Part part
    cdef GroupingWorkspace groups
    cdef long long[::1] first
    cdef int[::1] group_of
    cdef long long[::1] left
    cdef AssignmentList assignments
    cdef unsigned long long[::1] alive
    cdef long long[::1] rows_left, slot_rows
    cdef int[::1] slot_last, before

cdef void _take(Greedy greedy, unsigned long long shown, long long pattern, bint whole) noexcept nogil
cdef void _gather(Greedy greedy, Part part, long long h) noexcept nogil
cdef void _remove(Greedy greedy, Part part, long long h, long long pattern) noexcept nogil
