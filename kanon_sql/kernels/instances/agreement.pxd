cimport cython
from kanon_sql.kernels.merge_sort cimport sort_by_key

@cython.locals(
    o=cython.longlong, c=cython.longlong, i=cython.longlong, total=cython.longlong, differs=cython.longlong,
    same=cython.ulonglong
)
cdef void _compare(
    int[:, ::1] codes, long long[::1] cost, long long seed, long long[::1] others, unsigned long long[::1] agree,
    long long[::1] hidden
) noexcept nogil
@cython.locals(r=cython.longlong, o=cython.longlong, common=cython.ulonglong, rows=cython.longlong, step=cython.longlong)
cdef void _nearest(
    long long[::1] weight, long long seed, long long[::1] others, unsigned long long[::1] agree, long long[::1] hidden,
    long long[::1] order, long long[::1] scratch, unsigned long long[::1] found
) noexcept nogil
