cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, full_int32
from kanon_sql.kernels.classes.partition cimport SLOTS, Partition, put, take
from kanon_sql.kernels.random cimport below
from kanon_sql.kernels.summaries.growth cimport NewClasses, Unassigned
from kanon_sql.kernels.summaries.measure cimport Measure

cdef class Classes:
    cdef readonly Partition partition
    cdef readonly long long[::1] size
    cdef readonly long long[::1] loss

cdef class Shape:
    cdef long long k
    cdef long long classes
    cdef long long row_types
    cdef long long threshold
    cdef bint by_gain

cdef class NeighbourhoodWorkspace:
    cdef int[::1] chosen
    cdef long long many
    cdef Unassigned unassigned
    cdef NewClasses new
    cdef int[::1] place_of
    cdef int[::1] free
    cdef long long unused

@cython.locals(slots=cython.longlong, turn=cython.longlong)
cdef long long _class_of(Partition partition, long long i, unsigned long long[::1] state) noexcept nogil
@cython.locals(
    attempt=cython.longlong, link=cython.longlong, place=cython.longlong, i=cython.longlong, a=cython.longlong,
    known=cython.bint, c=cython.longlong, total=cython.longlong, loss=cython.longlong
)
cdef long long select(
    Classes classes, int[:, ::1] near, Shape shape, NeighbourhoodWorkspace work, unsigned long long[::1] state
) noexcept nogil
@cython.locals(
    a=cython.longlong, i=cython.longlong, c=cython.longlong, x=cython.longlong, place=cython.longlong, types=cython.longlong
)
cdef void list_rows(int[:, ::1] codes, Partition partition, NeighbourhoodWorkspace work) noexcept nogil
@cython.locals(x=cython.longlong, r=cython.longlong)
cdef long long first_row(Unassigned unassigned, bint furthest, unsigned long long[::1] state) noexcept nogil
cdef bint add_piece(NewClasses new, long long r, long long p, long long rows) noexcept nogil
@cython.locals(
    q=cython.longlong, r=cython.longlong, a=cython.longlong, s=cython.longlong, place=cython.longlong, used=cython.longlong,
    elsewhere=cython.bint, slots=cython.longlong
)
cdef bint fits(Partition partition, NeighbourhoodWorkspace work) noexcept nogil
@cython.locals(a=cython.longlong, c=cython.longlong, q=cython.longlong, place=cython.longlong)
cdef void replace(Classes classes, NeighbourhoodWorkspace work, long long p) noexcept nogil
