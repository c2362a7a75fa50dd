from kanon_sql.kernels.classes.partition cimport Partition, CandidateClasses
from kanon_sql.kernels.classes.workspace cimport Workspace

cdef bint repair(CandidateClasses candidates, Partition partition, long long k, Workspace work) noexcept nogil
