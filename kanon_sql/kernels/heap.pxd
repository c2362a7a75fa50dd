cimport cython

ctypedef fused Key:
    long long
    double

cdef bint _before(Key[::1] key, long long a, long long b) noexcept nogil
@cython.locals(place=cython.longlong, above=cython.longlong)
cdef long long push(long long[::1] heap, Key[::1] key, long long size, long long item, Key value) noexcept nogil
cdef long long pop(long long[::1] heap, Key[::1] key, long long size) noexcept nogil
@cython.locals(item=cython.longlong)
cdef void raise_first(long long[::1] heap, Key[::1] key, long long size, Key value) noexcept nogil
@cython.locals(place=cython.longlong, below=cython.longlong)
cdef void _sink(long long[::1] heap, Key[::1] key, long long size, long long item) noexcept nogil
