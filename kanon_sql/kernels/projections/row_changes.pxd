cdef bint may(SetClasses classes, long long r, long long c) noexcept nogil
cdef long long other_row(SetClasses classes, long long r, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
cdef long long two_for_one(SetClasses classes, long long r, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
cdef long long _turned(SetClasses classes, long long r, unsigned long long bits, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
