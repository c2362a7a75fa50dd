cimport cython
from kanon_sql.kernels.criteria.dispatch cimport largest, meets, shortfall
from kanon_sql.kernels.criteria.part cimport Part, keep_all
from kanon_sql.kernels.requirements.candidates cimport Candidates

@cython.locals(total=cython.longlong, found=cython.longlong)
cdef long long largest_part(Part part) noexcept nogil
@cython.locals(total=cython.longlong)
cdef long long whole_part(Part part) noexcept nogil
@cython.locals(
    a=cython.longlong, g=cython.longlong, b=cython.longlong, best=cython.longlong, gone=cython.longlong, missing=cython.double,
    most=cython.double, less=cython.double
)
cdef long long _without_shortfall(Part part, long long total) noexcept nogil
