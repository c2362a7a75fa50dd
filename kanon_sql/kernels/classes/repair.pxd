cdef bint _assign(Partition partition, RepairWorkspace work, long long i, long long j, long long rows) noexcept nogil
cdef (long long, long long) _gain(
    CandidateClasses candidates, long long k, RepairWorkspace work, long long q, long long floor
) noexcept nogil
cdef bint repair(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
cdef long long _at_most(CandidateClasses candidates, long long k, RepairWorkspace work, long long q) noexcept nogil
cdef bint _open_classes(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
cdef bint _open_for_rows_without_class(
    CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work
) noexcept nogil
cdef bint _keep_for_rows_without_class(RepairWorkspace work) noexcept nogil
cdef bint _open(
    CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work, long long q, long long topped_up
) noexcept nogil
cdef bint _fall_back(Partition partition, RepairWorkspace work) noexcept nogil
cdef void _move_to_cheaper(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
