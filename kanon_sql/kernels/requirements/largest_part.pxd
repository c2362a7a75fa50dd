from kanon_sql.kernels.criteria.part cimport Part

cdef long long largest_part(Part part) noexcept nogil
cdef long long whole_part(Part part) noexcept nogil
