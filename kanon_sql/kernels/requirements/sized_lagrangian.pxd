from kanon_sql.kernels.requirements.lagrangian cimport Relaxed

cdef class BestClass:
    cdef readonly Relaxed beyond
    cdef readonly long long largest
    cdef readonly long long[::1] size
    cdef readonly long long[::1] multiplier
    cdef readonly long long[::1] near
    cdef public long long slack
