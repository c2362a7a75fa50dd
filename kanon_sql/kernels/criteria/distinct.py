"""A number of values."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython


def meets(required, q, h, at):
    """Return whether there are enough values."""
    return _values(h, at + required.low[q], at + required.high[q]) >= required.num[q]


def _values(h, low, high):
    """Return how many counters are above 0."""
    found = 0
    for v in range(low, high):
        found += h[v] > 0
    return found


def shortfall(required, q, work, h, at):
    """Return how many values are missing."""
    least = required.num[q]
    found = _values(h, at + required.low[q], at + required.high[q])
    for v in range(required.low[q], required.high[q]):
        if h[at + v] == 0 and found < least:
            work.added[v] += 1.0
        elif h[at + v] == 1 and found <= least:
            work.removed[v] -= 1.0
    return cython.cast(cython.double, least - found) if found < least else 0.0


def may_meet(required, q, h, at, rows, size):
    """Return whether there are enough values if each row that joins has a new one."""
    return _values(h, at + required.low[q], at + required.high[q]) + size - rows >= required.num[q]
