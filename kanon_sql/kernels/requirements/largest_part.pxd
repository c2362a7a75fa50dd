cdef long long largest_part(Part part) noexcept nogil
cdef long long whole_part(Part part) noexcept nogil
cdef long long _without_shortfall(Part part, long long total) noexcept nogil
