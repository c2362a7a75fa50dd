cdef unsigned long long _key(SetClasses classes, long long r, long long s, unsigned long long part) noexcept nogil
