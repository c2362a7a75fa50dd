cimport cython
from kanon_sql.kernels.classes.candidates cimport list_candidates
from kanon_sql.kernels.classes.move_log cimport add_by_row_type, added_cost, keep, log
from kanon_sql.kernels.classes.partition cimport SLOTS, CandidateClasses, Partition, place_of, take
from kanon_sql.kernels.classes.repair cimport repair
from kanon_sql.kernels.classes.workspace cimport RepairWorkspace, replay, undo
from kanon_sql.kernels.random cimport below

@cython.locals(
    seed=cython.longlong, other=cython.longlong, draw=cython.longlong, hope=cython.longlong, most=cython.longlong
)
cdef long long _drawn(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, unsigned long long[::1] state
) noexcept nogil
@cython.locals(place=cython.longlong, excess=cython.longlong)
cdef long long _hope(
    CandidateClasses candidates, Partition partition, RepairWorkspace work, long long i
) noexcept nogil
@cython.locals(
    attempt=cython.longlong, cost=cython.longlong, destroyed=cython.longlong, before=cython.longlong, most=cython.longlong,
    found=cython.bint
)
cdef bint _rebuild(
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
