cdef long long _step(SetClasses classes, long long[::1] active, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
cdef long long _barring(SetClasses classes, long long r, long long c, unsigned long long[::1] state) noexcept nogil
cdef long long _shown(SetClasses classes, long long r, long long s, unsigned long long[::1] state) noexcept nogil
cdef long long _whole_class(SetClasses classes, long long r, long long s, long long c, long long[::1] cost, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
cdef long long _other_mask(SetClasses classes, long long[::1] active, long long[::1] cost, unsigned long long[::1] masks, long long penalty, long long[::1] worse, unsigned long long[::1] state) noexcept nogil
