cdef void list_candidates(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
