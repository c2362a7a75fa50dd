cimport cython
from kanon_sql.kernels.criteria.encoded cimport EncodedRequirement
from kanon_sql.kernels.summaries.column_cuts cimport CutWorkspace, cut_between, separate_code, sort_by
from kanon_sql.kernels.summaries.measure cimport RANGE, Measure, clear, join
from kanon_sql.kernels.summaries.sides cimport Sides, add_to_one, clear_one, halve

@cython.locals(a=cython.longlong, how=cython.longlong, total=cython.longlong, spread=cython.longlong, size=cython.longlong)
cdef long long _cut(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, int[::1] group, long long[::1] member,
    long long first, long long last, CutWorkspace work
) noexcept nogil
@cython.locals(
    a=cython.longlong, c=cython.longlong, loss=cython.longlong, low=cython.longlong, high=cython.longlong, size=cython.longlong
)
cdef long long _best_cut(
    int[:, ::1] codes, long long[::1] weight, Measure measure, Sides sides, int[::1] group, long long[::1] member,
    long long first, long long how, long long least, CutWorkspace work
) noexcept nogil
