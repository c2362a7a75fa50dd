"""Columns in which row types differ from a class, and by how much: loops without a branch, which compilers vectorize."""

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
def differ(
    code: cython.int[:, ::1],
    c: cython.longlong,
    own: cython.longlong,
    step: cython.longlong,
    types: cython.longlong,
    growth: cython.longlong[::1],
) -> cython.void:
    """Add what a column loses where row types differ from a code; a negative step takes it back, as the class hides it."""
    x: cython.longlong
    shown: cython.int = own
    differs: cython.longlong
    for x in range(types):
        differs = cython.cast(cython.longlong, code[c, x] != shown)
        growth[x] += step & -differs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def agree(
    code: cython.int[:, ::1],
    c: cython.longlong,
    own: cython.longlong,
    step: cython.longlong,
    types: cython.longlong,
    growth: cython.longlong[::1],
) -> cython.void:
    """Take back what a set loses where row types have a code: the class shows it from now on."""
    x: cython.longlong
    shown: cython.int = own
    agrees: cython.longlong
    for x in range(types):
        agrees = cython.cast(cython.longlong, code[c, x] == shown)
        growth[x] -= step & -agrees


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stand_apart(
    code: cython.int[:, ::1],
    c: cython.longlong,
    own: cython.longlong,
    null: cython.longlong,
    step: cython.longlong,
    types: cython.longlong,
    growth: cython.longlong[::1],
) -> cython.void:
    """Add what a range loses from a code, not NULL, to the codes of row types."""
    x: cython.longlong
    shown: cython.int = own
    hidden: cython.int = null
    away: cython.int
    for x in range(types):
        away = abs(code[c, x] - shown)
        growth[x] += (away if code[c, x] != hidden else 1) * step


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def reach(
    code: cython.int[:, ::1],
    c: cython.longlong,
    end: cython.longlong,
    own: cython.longlong,
    null: cython.longlong,
    step: cython.longlong,
    types: cython.longlong,
    growth: cython.longlong[::1],
) -> cython.void:
    """Take back what a range loses on the way from its old end to a code outside: it reaches as far from now on."""
    x: cython.longlong
    old: cython.int = end
    hidden: cython.int = null
    most: cython.int = abs(own - end)
    side: cython.int = 1 if own > end else -1
    way: cython.int
    for x in range(types):
        way = min(max((code[c, x] - old) * side, 0), most)
        growth[x] -= (way if code[c, x] != hidden else 0) * step


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
