"""Sums of squares beyond 64 bits: a number below 2^124 is two words, ``high * 2^62 + low``, and compares as a pair."""

from __future__ import annotations

from numba import njit

_WORD = (1 << 62) - 1
_HALF = (1 << 31) - 1


@njit(cache=True, nogil=True)
def square(x: int) -> tuple[int, int]:
    """Return x * x for 0 <= x < 2^62."""
    a, b = x >> 31, x & _HALF
    middle = a * b  # counts 2^32, of which 30 bits stay in the low word
    low = ((middle & ((1 << 30) - 1)) << 32) + b * b
    return a * a + (middle >> 30) + (low >> 62), low & _WORD


@njit(cache=True, nogil=True)
def plus(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Return the sum of two numbers that is below 2^124."""
    low = one[1] + other[1]
    return one[0] + other[0] + (low >> 62), low & _WORD
