"""Of each value at most a share of the rows."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython


def meets(required, q, h, at, rows):
    """Return whether the most frequent value is within the share."""
    return _most(h, at + required.low[q], at + required.high[q]) * required.num[q] <= rows * required.den[q]


def _most(h, low, high):
    """Return the greatest counter."""
    found = 0
    for v in range(low, high):
        found = max(found, h[v])
    return found


def shortfall(required, q, work, h, at, rows):
    """Return what is above the share."""
    now: cython.double = 0.0
    more: cython.double = 0.0
    less: cython.double = 0.0
    share: cython.double = 1.0 / (cython.cast(cython.double, required.num[q]) / required.den[q])
    for v in range(required.low[q], required.high[q]):
        over: cython.double = h[at + v] - share * rows
        now += max(0.0, over)
        more += max(0.0, over - share)
        less += max(0.0, over + share)
    for v in range(required.low[q], required.high[q]):
        over = h[at + v] - share * rows
        work.added[v] += now - more - min(1.0, max(0.0, over - share + 1.0))
        work.removed[v] += now - less + min(1.0, max(0.0, over + share))
    return now


def may_meet(required, q, h, at, size):
    """Return whether the most frequent value is within the share of all the rows."""
    return _most(h, at + required.low[q], at + required.high[q]) * required.num[q] <= size * required.den[q]


def largest(part):
    """Keep at most c rows of each value, with the largest c for which c is within the share of them; return how many, or 0.

    If the most frequent value has c rows, at best all others have as many of theirs; more rows of each value do no harm
    below c, so the largest c decides.
    """
    low = 0
    high = 0
    for a in range(part.groups):
        high = max(high, part.rows[part.group[a]])
    while low < high:
        middle = (low + high + 1) // 2
        total = 0
        for a in range(part.groups):
            total += min(part.rows[part.group[a]], middle)
        if middle * part.required.num[0] <= total * part.required.den[0]:
            low = middle
        else:
            high = middle - 1
    total = 0
    for a in range(part.groups):
        g = part.group[a]
        part.keep[g] = min(part.rows[g], low)
        part.histogram[part.counter[g, 0]] = part.keep[g]
        total += part.keep[g]
    if low == 0 or total < part.required.least:
        return 0
    return total if meets(part.required, 0, part.histogram, 0, total) else 0
