cimport cython
from kanon_sql.kernels.instances.groups cimport GroupingWorkspace, group, sift

@cython.locals(
    r=cython.longlong, i=cython.longlong, h=cython.longlong, total=cython.longlong, found=cython.bint, n=cython.longlong,
    size=cython.longlong
)
cdef long long _take(
    GroupingWorkspace groups, long long[::1] weight, unsigned long long shown, long long p, unsigned long long[::1] alive,
    long long k, long long[::1] slot_rows, int[::1] taken
) noexcept nogil
