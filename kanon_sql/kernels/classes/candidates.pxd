cimport cython
from kanon_sql.kernels.classes.partition cimport CandidateClasses, Partition
from kanon_sql.kernels.classes.workspace cimport MOST_INSTANCES, RepairWorkspace

@cython.locals(
    f=cython.longlong, i=cython.longlong, j=cython.longlong, a=cython.longlong, q=cython.longlong, rows=cython.longlong,
    open_class=cython.longlong, place=cython.longlong, many=cython.longlong
)
cdef void list_candidates(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
