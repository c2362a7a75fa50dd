"""Columns in which row types differ from a class, and by how much: loops without a branch, which compilers vectorize."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython

_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)
"""The bits of all columns."""


def compare(code, step, r, types, growth):
    """Set what the columns lose in which the first ``types`` row types differ from row type r."""
    for x in range(types):
        growth[x] = 0
    for c in range(step.shape[0]):
        own: cython.int = code[c, r]
        lost = step[c]
        for x in range(types):
            differs = cython.cast(cython.longlong, code[c, x] != own)
            growth[x] += lost & -differs


def differ(code, c, own, step, types, growth):
    """Add what a column loses where row types differ from a code; a negative step takes it back, as the class hides it."""
    shown: cython.int = own
    for x in range(types):
        differs = cython.cast(cython.longlong, code[c, x] != shown)
        growth[x] += step & -differs


def agree(code, c, own, step, types, growth):
    """Take back what a set loses where row types have a code: the class shows it from now on."""
    shown: cython.int = own
    for x in range(types):
        agrees = cython.cast(cython.longlong, code[c, x] == shown)
        growth[x] -= step & -agrees


def stand_apart(code, c, own, null, step, types, growth):
    """Add what a range loses from a code, not NULL, to the codes of row types."""
    shown: cython.int = own
    hidden: cython.int = null
    for x in range(types):
        away: cython.int = max(code[c, x] - shown, shown - code[c, x])
        growth[x] += (away if code[c, x] != hidden else 1) * step


def reach(code, c, end, own, null, step, types, growth):
    """Take back what a range loses on the way from its old end to a code outside: it reaches as far from now on."""
    old: cython.int = end
    hidden: cython.int = null
    most: cython.int = max(own - end, end - own)
    side: cython.int = 1 if own > end else -1
    for x in range(types):
        way: cython.int = min(max((code[c, x] - old) * side, 0), most)
        growth[x] -= (way if code[c, x] != hidden else 0) * step


def mark(code, r, types, differing):
    """Set the bits of the columns in which the first ``types`` row types differ from row type r."""
    for x in range(types):
        differing[x] = 0
    for c in range(code.shape[0]):
        own: cython.int = code[c, r]
        for x in range(types):
            differs: cython.ulonglong = cython.cast(cython.ulonglong, code[c, x] != own)
            differing[x] |= differs << c


def unmark(c, types, differing):
    """Clear the bit of a column."""
    others: cython.ulonglong = _WORD ^ (cython.cast(cython.ulonglong, 1) << c)
    for x in range(types):
        differing[x] &= others
