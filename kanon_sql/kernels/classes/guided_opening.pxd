cimport cython
from kanon_sql.kernels.classes.partition cimport CandidateClasses, Partition, put
from kanon_sql.kernels.heap cimport pop, push
from kanon_sql.kernels.instances.gains cimport gain

@cython.locals(
    a=cython.longlong, i=cython.longlong, j=cython.longlong, w=cython.longlong, value=cython.longlong,
    topped_up=cython.longlong, size=cython.longlong
)
cdef void _open_all(
    CandidateClasses candidates, Partition partition, long long k, long long floor, long long[::1] unassigned,
    long long[::1] price, int[::1] fallback, long long[::1] top_up, long long[::1] heap, long long[::1] key
) noexcept nogil
@cython.locals(a=cython.longlong, i=cython.longlong, copies=cython.longlong, rows=cython.longlong)
cdef void _join(
    CandidateClasses candidates, Partition partition, long long k, long long j, long long[::1] unassigned, long long[::1] price,
    long long[::1] top_up, long long topped_up
) noexcept nogil
