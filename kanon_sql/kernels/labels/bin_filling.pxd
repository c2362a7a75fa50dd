cimport cython
from kanon_sql.kernels.heap cimport push, raise_first

@cython.locals(i=cython.longlong, j=cython.longlong, size=cython.longlong)
cdef void _fill(long long[::1] weight, long long[::1] load, long long[::1] place, long long[::1] heap) noexcept
