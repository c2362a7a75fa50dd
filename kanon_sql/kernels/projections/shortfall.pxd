cimport cython
from kanon_sql.kernels.criteria.dispatch cimport criterion_meets, criterion_shortfall
from kanon_sql.kernels.projections.classes cimport SetClasses, key_of, missing, move, place_of

@cython.locals(before=cython.ulonglong, after=cython.ulonglong, short=cython.longlong, i=cython.longlong, s=cython.longlong, key=cython.ulonglong, place=cython.longlong)
cdef long long toggle(SetClasses classes, long long r, long long c) noexcept nogil
@cython.locals(rows=cython.longlong, i=cython.longlong, q=cython.longlong)
cdef bint fails(SetClasses classes, long long s, long long place) noexcept nogil
@cython.locals(rows=cython.longlong, short=cython.longlong, i=cython.longlong, q=cython.longlong, away=cython.double)
cdef long long short_of(SetClasses classes, long long s, long long place) noexcept nogil
