cimport cython
from kanon_sql.kernels.heap cimport pop, push
from kanon_sql.kernels.requirements.assignment_list cimport AssignmentList, add
from kanon_sql.kernels.requirements.candidates cimport Candidates
from kanon_sql.kernels.requirements.selection cimport Selection, clear, select

@cython.locals(
    s=cython.longlong, a=cython.longlong, i=cython.longlong, rows=cython.longlong, end=cython.longlong, low=cython.longlong
)
cdef void _take(Selection selection, Candidates candidates, long long j, AssignmentList assignments) noexcept nogil
