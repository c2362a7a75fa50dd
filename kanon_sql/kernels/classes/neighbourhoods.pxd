cimport cython
from kanon_sql.kernels.classes.partition cimport SLOTS, CandidateClasses, Partition
from kanon_sql.kernels.random cimport below

@cython.locals(
    i=cython.longlong, j=cython.longlong, c=cython.longlong, s=cython.longlong, low=cython.longlong, high=cython.longlong,
    walk=cython.longlong, head=cython.longlong, tail=cython.longlong, many=cython.longlong, total=cython.longlong
)
cdef long long _visit(
    CandidateClasses candidates, Partition partition, long long seed, long long rows, unsigned long long[::1] state,
    int[::1] found, int[::1] queue, unsigned char[::1] seen
) noexcept nogil
