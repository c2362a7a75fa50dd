"""A least entropy."""

from __future__ import annotations

from math import log

from kanon_sql.kernels import uncompiled as cython

_ERROR = cython.declare(cython.double, 1e-13)
"""Relative error of a sum of logarithms, generously."""

_ROUNDING = cython.declare(cython.double, 1e-9)
"""The same where too generous does no harm."""


def meets(required, q, h, at, rows):
    """Return whether the entropy is at least log(num / den); doubt is failure."""
    part: cython.double = 0.0
    num = required.num[q]
    den = required.den[q]
    found = 0
    least = rows
    greatest = 0
    for v in range(at + required.low[q], at + required.high[q]):
        if h[v]:
            part += h[v] * log(h[v])
            found += 1
            least = min(least, h[v])
            greatest = max(greatest, h[v])
    if least == greatest:  # the entropy is log of the number of values, exactly
        return found * den >= num
    size: cython.double = part + rows * (log(rows) + log(num) + log(den) + 1.0)
    return rows * (log(rows) - log(num) + log(den)) - part > _ERROR * size


def shortfall(required, q, work, h, at, rows):
    """Return the shortfall of the entropy, times the rows."""
    part: cython.double = 0.0
    least: cython.double = log(cython.cast(cython.double, required.num[q]) / required.den[q])
    for v in range(at + required.low[q], at + required.high[q]):
        part += _self_log(work, h[v])
    now: cython.double = max(0.0, part + least * rows - _self_log(work, rows))
    more: cython.double = part + least * (rows + 1) - _self_log(work, rows + 1)
    less: cython.double = part + least * (rows - 1) - _self_log(work, rows - 1)
    for v in range(required.low[q], required.high[q]):
        here: cython.double = _self_log(work, h[at + v])
        work.added[v] += now - max(0.0, more - here + _self_log(work, h[at + v] + 1))
        work.removed[v] += now - max(0.0, less - here + _self_log(work, h[at + v] - 1))
    return now


def _self_log(work, rows):
    """Return x log x."""
    if rows <= 0:
        return 0.0
    return work.logs[rows] if rows < work.logs.shape[0] else rows * log(rows)


def may_meet(required, q, h, at, rows, size):
    """Return whether the entropy is enough if the values get as even as they can; O(V log size)."""
    least: cython.double = log(cython.cast(cython.double, required.num[q]) / required.den[q])
    part: cython.double = _least_part(h, at + required.low[q], at + required.high[q], size - rows, size)
    return size * log(size) - part >= size * least - _ROUNDING * size


def _least_part(h, low, high, rest, size):
    """Return the least sum of x log x over the counters after ``rest`` rows more: the lowest are filled to one level."""
    level = 0
    above = size + 1
    left = rest
    part: cython.double = 0.0
    while above - level > 1:
        middle = (level + above) // 2
        needed = 0
        for v in range(low, high):
            needed += max(0, middle - h[v])
        if needed <= rest:
            level = middle
        else:
            above = middle
    for v in range(low, high):
        left -= max(0, level - h[v])
    for v in range(low, high):
        x = max(h[v], level)
        if left and x == level:
            x += 1
            left -= 1
        if x > 1:
            part += x * log(x)
    return part
