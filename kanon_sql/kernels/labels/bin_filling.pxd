cdef void _fill(long long[::1] weight, long long[::1] load, long long[::1] place, long long[::1] heap) noexcept
