"""The threshold of a distance between a class and the whole table; `work` is the distance times the rows of both."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython

_ERROR = cython.declare(cython.double, 1e-13)
"""Relative error of a sum of floats, generously."""

_ROUNDING = cython.declare(cython.double, 1e-9)
"""The same where too generous does no harm."""


def within(required, q, work, rows):
    """Return whether a class of some rows is within the threshold, exactly."""
    return work * required.den[q] <= required.num[q] * required.extra[q] * required.rows * rows


def within_surely(required, q, work, rows):
    """Return whether a class of some rows is within the threshold, though the work is rounded; doubt is failure."""
    limit: cython.double = cython.cast(cython.double, required.num[q]) * required.extra[q] * required.rows * rows
    return work == 0.0 or work * required.den[q] * (1.0 + _ERROR) <= limit * (1.0 - _ERROR)


def may_be_within(required, q, moved, size):
    """Return whether a class of ``size`` rows of which some have to be moved at least may be within the threshold."""
    ratio: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q]
    return moved <= ratio * required.extra[q] * size * (1.0 + _ROUNDING)
