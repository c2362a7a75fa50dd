cimport cython
from kanon_sql.kernels.classes.move_log cimport log
from kanon_sql.kernels.classes.partition cimport SLOTS, CandidateClasses, Partition, put, take
from kanon_sql.kernels.classes.workspace cimport RepairWorkspace
from kanon_sql.kernels.instances.gains cimport NEVER, gain

cdef bint _assign(Partition partition, RepairWorkspace work, long long i, long long j, long long rows) noexcept nogil
@cython.locals(w=cython.longlong)
cdef (long long, long long) _gain(
    CandidateClasses candidates, long long k, RepairWorkspace work, long long q, long long floor
) noexcept nogil
@cython.locals(f=cython.longlong, i=cython.longlong)
cdef bint repair(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
@cython.locals(
    a=cython.longlong, price=cython.longlong, rows=cython.longlong, w=cython.longlong, total=cython.longlong,
    need=cython.longlong, nearest=cython.longlong
)
cdef long long _at_most(CandidateClasses candidates, long long k, RepairWorkspace work, long long q) noexcept nogil
@cython.locals(
    a=cython.longlong, q=cython.longlong, top=cython.longlong, best=cython.longlong, kept=cython.longlong,
    gaining=cython.longlong, topped_up=cython.longlong
)
cdef bint _open_classes(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
@cython.locals(q=cython.longlong, top=cython.longlong, best=cython.longlong, topped_up=cython.longlong)
cdef bint _open_for_rows_without_class(
    CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work
) noexcept nogil
@cython.locals(f=cython.longlong, q=cython.longlong, a=cython.longlong, exists=cython.bint)
cdef bint _keep_for_rows_without_class(RepairWorkspace work) noexcept nogil
@cython.locals(
    a=cython.longlong, i=cython.longlong, copies=cython.longlong, j=cython.longlong, w=cython.longlong, rows=cython.longlong
)
cdef bint _open(
    CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work, long long q, long long topped_up
) noexcept nogil
@cython.locals(f=cython.longlong, i=cython.longlong)
cdef bint _fall_back(Partition partition, RepairWorkspace work) noexcept nogil
@cython.locals(
    f=cython.longlong, i=cython.longlong, j=cython.longlong, c=cython.longlong, a=cython.longlong, place=cython.longlong,
    rows=cython.longlong, unseen=cython.longlong
)
cdef void _move_to_cheaper(CandidateClasses candidates, Partition partition, long long k, RepairWorkspace work) noexcept nogil
