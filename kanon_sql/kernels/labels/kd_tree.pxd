cimport cython
from kanon_sql.kernels.labels.kd_cuts cimport KDTreeWorkspace, best_cut, cut_node, worse
from kanon_sql.kernels.labels.two_word_sums cimport less, plus, square

@cython.locals(
    heaviest=cython.longlong, squares=tuple[cython.longlong, cython.longlong],
    cut=tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong],
    other=tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong], axis=cython.longlong, p=cython.longlong,
    rows=cython.longlong, nodes=cython.longlong
)
cdef (long long, long long, long long) _outlook(KDTreeWorkspace work, long long first, long long last) noexcept nogil
@cython.locals(
    found=cython.longlong, all_uneven=cython.longlong, attempt=cython.longlong, axis=cython.longlong, c=cython.longlong,
    known=cython.bint, cut=tuple[cython.longlong, cython.longlong, cython.longlong, cython.longlong]
)
cdef long long _candidates(KDTreeWorkspace work, long long[:, ::1] order, long long first, long long last) noexcept nogil
@cython.locals(
    best=cython.longlong, heaviest=cython.longlong, squares=tuple[cython.longlong, cython.longlong],
    below=tuple[cython.longlong, cython.longlong, cython.longlong],
    above=tuple[cython.longlong, cython.longlong, cython.longlong], sum_of_squares=tuple[cython.longlong, cython.longlong],
    c=cython.longlong, p=cython.longlong, middle=cython.longlong, found=cython.longlong
)
cdef long long _decide(
    KDTreeWorkspace work, long long[:, ::1] order, long long first, long long last, long long candidates, long long unavoidable
) noexcept nogil
@cython.locals(
    first=cython.longlong, last=cython.longlong, middle=cython.longlong, p=cython.longlong, best=cython.longlong,
    candidates=cython.longlong, groups=cython.longlong, nodes=cython.longlong
)
cdef void _divide(
    KDTreeWorkspace work, long long[:, ::1] order, long long unavoidable, long long[::1] group, long long[::1] begin,
    long long[::1] end
) noexcept
