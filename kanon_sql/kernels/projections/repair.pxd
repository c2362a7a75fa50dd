cdef long long _too(SetClasses classes, long long r, long long c, unsigned long long bits, long long[::1] cost, long long[::1] penalty, long long most) noexcept nogil
cdef long long _moved(SetClasses classes, long long r, long long c, long long[::1] cost) noexcept nogil
cdef long long _short(SetClasses classes, long long r, long long s, unsigned long long bits) noexcept nogil
