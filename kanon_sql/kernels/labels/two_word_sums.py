"""Sums of squares beyond 64 bits: a number below 2^124 is two words, ``high * 2^62 + low``, and compares as a pair."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython

_WORD = cython.declare(cython.longlong, (1 << 62) - 1)
_HALF = cython.declare(cython.longlong, (1 << 31) - 1)
_MIDDLE = cython.declare(cython.longlong, (1 << 30) - 1)


def square(x):
    """Return x * x for 0 <= x < 2^62."""
    a = x >> 31
    b = x & _HALF
    middle = a * b  # counts 2^32, of which 30 bits stay in the low word
    low = ((middle & _MIDDLE) << 32) + b * b
    return a * a + (middle >> 30) + (low >> 62), low & _WORD


def plus(one, other):
    """Return the sum of two numbers that is below 2^124."""
    low = one[1] + other[1]
    return one[0] + other[0] + (low >> 62), low & _WORD


def less(one, other):
    """Return whether one number is less than the other."""
    return one[0] < other[0] or (one[0] == other[0] and one[1] < other[1])


def less_with_squares(one, x, other, y):
    """Return whether ``one + x * x`` is less than ``other + y * y``."""
    return less(plus(one, square(x)), plus(other, square(y)))
