from kanon_sql.kernels.classes.partition cimport Partition, CandidateClasses
from kanon_sql.kernels.classes.workspace cimport RepairWorkspace

cdef bint repair(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
