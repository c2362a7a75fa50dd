"""Plain columns in which row types differ from a class: loops without a branch, which compilers vectorize."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)
"""The bits of all columns."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare(
    code: cython.int[:, ::1],
    step: cython.longlong[::1],
    r: cython.longlong,
    types: cython.longlong,
    growth: cython.longlong[::1],
) -> cython.void:
    """Set what the columns lose in which the first ``types`` row types differ from row type r."""
    c: cython.longlong
    x: cython.longlong
    own: cython.int
    lost: cython.longlong
    differs: cython.longlong
    for x in range(types):
        growth[x] = 0
    for c in range(step.shape[0]):
        own = code[c, r]
        lost = step[c]
        for x in range(types):
            differs = cython.cast(cython.longlong, code[c, x] != own)
            growth[x] += lost & -differs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hide(
    code: cython.int[:, ::1],
    c: cython.longlong,
    own: cython.longlong,
    step: cython.longlong,
    types: cython.longlong,
    growth: cython.longlong[::1],
) -> cython.void:
    """Take back what a column loses where row types differ from a code: the class hides it from now on."""
    x: cython.longlong
    shown: cython.int = own
    differs: cython.longlong
    for x in range(types):
        differs = cython.cast(cython.longlong, code[c, x] != shown)
        growth[x] -= step & -differs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mark(code: cython.int[:, ::1], r: cython.longlong, types: cython.longlong, differing: cython.ulonglong[::1]) -> cython.void:
    """Set the bits of the columns in which the first ``types`` row types differ from row type r."""
    c: cython.longlong
    x: cython.longlong
    own: cython.int
    differs: cython.ulonglong
    for x in range(types):
        differing[x] = 0
    for c in range(code.shape[0]):
        own = code[c, r]
        for x in range(types):
            differs = cython.cast(cython.ulonglong, code[c, x] != own)
            differing[x] |= differs << c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def unmark(c: cython.longlong, types: cython.longlong, differing: cython.ulonglong[::1]) -> cython.void:
    """Clear the bit of a column."""
    x: cython.longlong
    others: cython.ulonglong = _WORD ^ (cython.cast(cython.ulonglong, 1) << c)
    for x in range(types):
        differing[x] &= others
