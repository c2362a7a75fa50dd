cpdef (long long, long long) square(long long x) noexcept nogil
cpdef (long long, long long) plus((long long, long long) one, (long long, long long) other) noexcept nogil
cdef bint less((long long, long long) one, (long long, long long) other) noexcept nogil
cdef bint less_with_squares((long long, long long) one, long long x, (long long, long long) other, long long y) noexcept nogil
