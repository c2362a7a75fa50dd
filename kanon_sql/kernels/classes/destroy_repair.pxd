cimport cython
from kanon_sql.kernels.classes.candidates cimport list_candidates
from kanon_sql.kernels.classes.move_log cimport add_by_row_type, added_cost, keep, log
from kanon_sql.kernels.classes.partition cimport SLOTS, CandidateClasses, Partition, place_of, take
from kanon_sql.kernels.classes.repair cimport repair
from kanon_sql.kernels.classes.workspace cimport RepairWorkspace, replay, undo
from kanon_sql.kernels.random cimport below

@cython.locals(place=cython.longlong)
cdef long long _excess(CandidateClasses candidates, Partition partition, long long i) noexcept nogil
@cython.locals(
    attempt=cython.longlong, cost=cython.longlong, destroyed=cython.longlong, before=cython.longlong, most=cython.longlong,
    found=cython.bint
)
cdef void _rebuild(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, long long k, long long threshold
) noexcept nogil
@cython.locals(f=cython.longlong)
cdef void _adapt_prices(CandidateClasses candidates, RepairWorkspace work, long long destroyed) noexcept nogil
cdef void _unassign(Partition partition, RepairWorkspace work, long long i, long long j, long long rows) noexcept nogil
@cython.locals(
    attempt=cython.longlong, place=cython.longlong, i=cython.longlong, c=cython.longlong, j=cython.longlong,
    span=cython.longlong
)
cdef void _destroy(
    CandidateClasses candidates, Partition partition, long long k, long long seed, RepairWorkspace work, unsigned long long[::1] state
) noexcept nogil
