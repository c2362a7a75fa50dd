from kanon_sql.kernels.classes.partition cimport Partition, CandidateClasses
from kanon_sql.kernels.classes.workspace cimport Workspace

cdef void list_candidates(CandidateClasses candidates, Partition partition, long long k, Workspace work) noexcept nogil
