cdef class Classes:
    cdef readonly Partition partition
    cdef readonly long long[::1] size, loss

cdef class Shape:
    cdef long long k, classes, row_types, threshold
    cdef bint by_gain

cdef class NeighbourhoodWorkspace:
    cdef int[::1] chosen
    cdef long long many
    cdef Unassigned unassigned
    cdef NewClasses new
    cdef int[::1] place_of, free
    cdef long long unused

cdef long long _class_of(Partition partition, long long i, unsigned long long[::1] state) noexcept nogil
cdef long long select(
    Classes classes, int[:, ::1] near, Shape shape, NeighbourhoodWorkspace work, unsigned long long[::1] state
) noexcept nogil
cdef void list_rows(int[:, ::1] codes, Partition partition, NeighbourhoodWorkspace work) noexcept nogil
cdef long long first_row(Unassigned unassigned, bint furthest, unsigned long long[::1] state) noexcept nogil
cdef bint add_piece(NewClasses new, long long r, long long p, long long rows) noexcept nogil
cdef bint fits(Partition partition, NeighbourhoodWorkspace work) noexcept nogil
cdef void replace(Classes classes, NeighbourhoodWorkspace work, long long p) noexcept nogil
