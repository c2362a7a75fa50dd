cdef class Neighbourhood:
    cdef readonly Assignment assignment
    cdef Selection selection
    cdef Candidates candidates
    cdef long long size, types
    cdef int[::1] row
    cdef long long[::1] rows
    cdef double[::1] price
    cdef MoveLog moves
    cdef long long[::1] own
    cdef double[::1] adapted
    cdef long long near
    cdef int[::1] instance
    cdef double[::1] value
    cdef int[::1] order, number
    cdef long long[::1] fitting, begin, filled
    cdef int[::1] entry
    cdef long long[::1] count

cdef void list_near(Assignment assignment, Neighbourhood work) noexcept nogil
cdef long long _sort_rows(Neighbourhood work) noexcept nogil
cdef void _list_instances(Assignment assignment, Neighbourhood work, long long n) noexcept nogil
cdef void _list_entries(Assignment assignment, Neighbourhood work, long long n) noexcept nogil
cdef double _most_gain(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
cdef void _group_entries(Assignment assignment, Neighbourhood work, long long q) noexcept nogil
cdef void undo(Assignment assignment, MoveLog moves, long long first) noexcept nogil
cdef void replay(Assignment assignment, MoveLog moves) noexcept nogil
