cdef long long toggle(SetClasses classes, long long r, long long c) noexcept nogil
cdef bint fails(SetClasses classes, long long s, long long place) noexcept nogil
cdef long long short_of(SetClasses classes, long long s, long long place) noexcept nogil
