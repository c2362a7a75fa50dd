cdef class KDTreeWorkspace:
    cdef long long[:, ::1] rank
    cdef long long[::1] weight
    cdef long long k, step
    cdef long long[::1] capped
    cdef long long[:, ::1] trial
    cdef long long[::1] above
    cdef long long[:, ::1] candidate
    cdef long long[::1] begin, end

cdef long long _excess(long long rows, long long k) noexcept nogil
cdef bint worse(
    (long long, long long, long long, long long) one, (long long, long long, long long, long long) other
) noexcept nogil
cdef (long long, long long, long long, long long) best_cut(
    KDTreeWorkspace work, long long[:, ::1] order, long long first, long long last, long long axis, long long step
) noexcept nogil
cdef void cut_node(
    KDTreeWorkspace work, long long[:, ::1] order, long long first, long long last, long long axis, long long place
) noexcept nogil
