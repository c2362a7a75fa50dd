"""Scratch arrays, made in one place: a call of NumPy is twenty lines of C wherever it is written, one of these is three."""

from __future__ import annotations

import numpy as np


def empty_int64(count):
    """Return an array that is to be filled."""
    return np.empty(count, np.int64)


def zeros_int64(count):
    """Return zeros."""
    return np.zeros(count, np.int64)


def full_int64(count, value):
    """Return one value many times."""
    return np.full(count, value, np.int64)


def empty_int32(count):
    """Return an array that is to be filled."""
    return np.empty(count, np.int32)


def zeros_int32(count):
    """Return zeros."""
    return np.zeros(count, np.int32)


def full_int32(count, value):
    """Return one value many times."""
    return np.full(count, value, np.int32)


def empty_uint64(count):
    """Return an array that is to be filled."""
    return np.empty(count, np.uint64)


def zeros_uint64(count):
    """Return zeros."""
    return np.zeros(count, np.uint64)


def empty_uint8(count):
    """Return an array that is to be filled."""
    return np.empty(count, np.uint8)


def zeros_uint8(count):
    """Return zeros."""
    return np.zeros(count, np.uint8)


def empty_float64(count):
    """Return an array that is to be filled."""
    return np.empty(count)


def zeros_float64(count):
    """Return zeros."""
    return np.zeros(count)


def empty_int64_2d(rows, columns):
    """Return a table that is to be filled."""
    return np.empty((rows, columns), np.int64)


def zeros_int64_2d(rows, columns):
    """Return a table of zeros."""
    return np.zeros((rows, columns), np.int64)


def empty_int32_2d(rows, columns):
    """Return a table that is to be filled."""
    return np.empty((rows, columns), np.int32)


def zeros_int32_2d(rows, columns):
    """Return a table of zeros."""
    return np.zeros((rows, columns), np.int32)
