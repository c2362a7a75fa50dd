cimport cython
from kanon_sql.kernels.arrays cimport empty_int32, empty_int64
from kanon_sql.kernels.criteria.part cimport Part
from kanon_sql.kernels.instances.groups cimport GroupingWorkspace, group, sift
from kanon_sql.kernels.requirements.assignment_list cimport AssignmentList, add
from kanon_sql.kernels.requirements.largest_part cimport largest_part, whole_part

cdef class Greedy:
    cdef Part part
    cdef GroupingWorkspace groups
    cdef long long[::1] first
    cdef int[::1] group_of
    cdef long long[::1] left
    cdef AssignmentList assignments
    cdef unsigned long long[::1] alive
    cdef long long[::1] rows_left
    cdef long long[::1] slot_rows
    cdef int[::1] slot_last
    cdef int[::1] before

@cython.locals(r=cython.longlong, h=cython.longlong, rows=cython.longlong, n=cython.longlong, slots=cython.longlong)
cdef void _take(Greedy greedy, unsigned long long shown, long long pattern, bint whole) noexcept nogil
@cython.locals(u=cython.longlong, i=cython.longlong, g=cython.longlong, r=cython.longlong)
cdef void _gather(Greedy greedy, Part part, long long h) noexcept nogil
@cython.locals(
    u=cython.longlong, i=cython.longlong, g=cython.longlong, some=cython.longlong, bit=cython.longlong, r=cython.longlong
)
cdef void _remove(Greedy greedy, Part part, long long h, long long pattern) noexcept nogil
