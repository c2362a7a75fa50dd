"""Sets of at most 64 columns, a bit for each."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython

_ODD = cython.declare(cython.ulonglong, 0x5555555555555555)
_PAIRS = cython.declare(cython.ulonglong, 0x3333333333333333)
_NIBBLES = cython.declare(cython.ulonglong, 0x0F0F0F0F0F0F0F0F)
"""Every other bit, pair of bits, and four bits."""


def count_columns(columns):
    """Return how many columns a set has: sums of 2, 4, 8, ... neighbouring bits."""
    columns = (columns & _ODD) + ((columns >> 1) & _ODD)
    columns = (columns & _PAIRS) + ((columns >> 2) & _PAIRS)
    columns = (columns & _NIBBLES) + ((columns >> 4) & _NIBBLES)
    columns += columns >> 8
    columns += columns >> 16
    columns += columns >> 32
    return cython.cast(cython.longlong, columns & 127)


def differing_columns(codes, i, j):
    """Return the columns in which two row types differ, as bits."""
    columns: cython.ulonglong = 0
    for c in range(codes.shape[1]):
        columns |= cython.cast(cython.ulonglong, codes[i, c] != codes[j, c]) << c
    return columns
