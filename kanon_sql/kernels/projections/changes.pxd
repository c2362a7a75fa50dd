cdef bint strict(long long penalty) noexcept nogil
cdef long long most_short(long long penalty, long long affordable) noexcept nogil
cdef long long found_at(SetClasses classes, unsigned long long key) noexcept nogil
cdef unsigned long long word_change(SetClasses classes, long long r, long long c) noexcept nogil
cdef long long changed_cells(SetClasses classes, long long r, unsigned long long bits, long long most) noexcept nogil
cdef void find(SetClasses classes, long long r, long long s, unsigned long long change, long long n) noexcept nogil
cdef long long _short(SetClasses classes, long long r, long long n) noexcept nogil
cdef long long short_by(SetClasses classes, long long weight, long long need, long long left, long long joined) noexcept nogil
cdef bint bars(SetClasses classes, long long r, long long s, unsigned long long change) noexcept nogil
cdef long long changed(SetClasses classes, long long r, long long c, long long other, long long most) noexcept nogil
cdef bint breaks(SetClasses classes, long long r, long long c, long long other) noexcept nogil
