cdef int _list_some(Search search, long long work) except -2 nogil
cdef long long _decide(Search search, long long top) except -2 nogil
cdef long long _first_hiding(Search search, long long low, long long high, unsigned long long bit) noexcept nogil
cdef void _drop_useless(Search search) noexcept nogil
