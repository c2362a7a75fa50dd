cdef class SetClasses:
    cdef unsigned long long[:, ::1] word
    cdef unsigned long long[::1] hidden_word
    cdef readonly long long[::1] weight, set_start
    cdef readonly int[::1] member
    cdef readonly long long[::1] need, of_start
    cdef readonly int[::1] of_set, finer
    cdef int[::1] coarser
    cdef unsigned long long[::1] person
    cdef long long[::1] need_people
    cdef readonly EncodedRequirement required
    cdef readonly CriteriaWorkspace work
    cdef long long[::1] criterion_start
    cdef int[::1] criterion
    cdef int[:, ::1] counter
    cdef unsigned long long[:, ::1] cell
    cdef readonly unsigned char[:, ::1] hidden
    cdef long long[:, ::1] entry
    cdef long long[::1] people, rare
    cdef unsigned long long[::1] held_key
    cdef long long[::1] held_rows, slot, histogram
    cdef readonly bint plain
    cdef int[:, ::1] alike, alike_start, alike_size
    cdef long long[::1] members
    cdef unsigned char[:, ::1] within
    cdef int[:, ::1] barred
    cdef int[::1] barring
    cdef readonly int[:, ::1] failing
    cdef readonly long long listed
    cdef unsigned long long[::1] seen_key
    cdef long long[::1] seen_rows, left, joined, changing, now
    cdef long long last, held_last, most, margin, used, held_used

cdef bint crowded(SetClasses classes) noexcept nogil
cdef unsigned long long key_of(SetClasses classes, long long r, long long s) noexcept nogil
cdef void keys_by(SetClasses classes, long long s, unsigned long long[:, ::1] cells, unsigned long long[::1] keys) noexcept nogil
cdef void _join(SetClasses classes, long long n) noexcept nogil
cdef long long place_of(SetClasses classes, unsigned long long key) noexcept nogil
cdef void move(SetClasses classes, long long r, long long s, long long place, long long sign) noexcept nogil
cdef long long missing(long long rows, long long need) noexcept nogil
