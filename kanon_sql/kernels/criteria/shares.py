"""Of some values at least and at most a share of the rows."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython


def meets(required, q, h, at, rows):
    """Return whether each limited counter is from its least to its greatest share of the rows."""
    limits = required.extra[q]
    for e in range(required.data_start[q], required.data_start[q] + limits):
        held = h[at + required.data[e]]
        if held * required.data[e + 2 * limits] > rows * required.data[e + limits]:
            return False
        if held * required.data[e + 4 * limits] < rows * required.data[e + 3 * limits]:
            return False
    return True


def shortfall(required, q, work, h, at, rows):
    """Return what is above the greatest shares, and what is below the least."""
    size: cython.double = rows
    now: cython.double = 0.0
    more: cython.double = 0.0
    less: cython.double = 0.0
    limits = required.extra[q]
    start = required.data_start[q]
    for e in range(start, start + limits):
        held: cython.double = h[at + required.data[e]]
        most: cython.double = cython.cast(cython.double, required.data[e + limits]) / required.data[e + 2 * limits]
        least: cython.double = cython.cast(cython.double, required.data[e + 3 * limits]) / required.data[e + 4 * limits]
        now += _outside(held, least * size, most * size)
        more += _outside(held, least * (size + 1.0), most * (size + 1.0))
        less += _outside(held, least * (size - 1.0), most * (size - 1.0))
    for v in range(required.low[q], required.high[q]):
        work.added[v] += now - more
        work.removed[v] += now - less
    for e in range(start, start + limits):
        v = required.data[e]
        held = h[at + v]
        most = cython.cast(cython.double, required.data[e + limits]) / required.data[e + 2 * limits]
        least = cython.cast(cython.double, required.data[e + 3 * limits]) / required.data[e + 4 * limits]
        work.added[v] += _outside(held, least * (size + 1.0), most * (size + 1.0))
        work.added[v] -= _outside(held + 1.0, least * (size + 1.0), most * (size + 1.0))
        work.removed[v] += _outside(held, least * (size - 1.0), most * (size - 1.0))
        work.removed[v] -= _outside(held - 1.0, least * (size - 1.0), most * (size - 1.0))
    return now


def _outside(held, least, most):
    """Return how far rows are from two limits."""
    return max(0.0, held - most) + max(0.0, least - held)


def may_meet(required, q, h, at, rows, size):
    """Return whether no limited counter is above its greatest share, and what the least shares miss may join."""
    limits = required.extra[q]
    missing = 0
    for e in range(required.data_start[q], required.data_start[q] + limits):
        held = h[at + required.data[e]]
        if held * required.data[e + 2 * limits] > size * required.data[e + limits]:
            return False
        least = (size * required.data[e + 3 * limits] + required.data[e + 4 * limits] - 1) // required.data[e + 4 * limits]
        missing += max(0, least - held)
    return missing <= size - rows
