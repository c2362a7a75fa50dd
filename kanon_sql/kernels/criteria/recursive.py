"""Recursive diversity: the most frequent value has less than c times the rows of the rarest ones."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython


def meets(required, q, work, h, at, rows):
    """Return whether the most frequent value has less than c times the rows of the tail."""
    low = at + required.low[q]
    high = at + required.high[q]
    behind = _tail(work, h, low, high, rows, required.extra[q])
    return h[_top(h, low, high)] * required.den[q] < required.num[q] * behind


def _top(h, low, high):
    """Return the place of the greatest counter, of equal ones the first."""
    found = low
    for v in range(low, high):
        if h[v] > h[found]:
            found = v
    return found


def _tail(work, h, low, high, rows, size):
    """Return the rows behind the ``size - 1`` greatest counters, whose places in ``h`` are put into ``work.top``."""
    kept = 0
    behind = rows
    for v in range(low, high):
        if kept == size - 1 and (kept == 0 or h[v] <= h[work.top[kept - 1]]):
            continue
        place = kept if kept < size - 1 else kept - 1
        kept = min(kept + 1, size - 1)
        while place > 0 and h[work.top[place - 1]] < h[v]:
            work.top[place] = work.top[place - 1]
            place -= 1
        work.top[place] = v
    for place in range(kept):
        behind -= h[work.top[place]]
    return behind


def shortfall(required, q, work, h, at, rows):
    """Return what the most frequent value has too much, if the same values stay ahead of the tail."""
    low = required.low[q]
    high = required.high[q]
    size = required.extra[q]
    ratio: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q]
    behind = _tail(work, h, at + low, at + high, rows, size)
    top = _top(h, at + low, at + high) - at
    beyond: cython.double = h[at + top] - ratio * behind + 1.0 / required.den[q]
    now: cython.double = beyond if beyond > 0.0 else 0.0
    for v in range(low, high):
        work.added[v] += now - max(0.0, beyond - ratio)
        work.removed[v] += now - max(0.0, beyond + ratio)
    for place in range(min(size - 1, high - low)):
        v = work.top[place] - at
        work.added[v] -= now - max(0.0, beyond - ratio)
        work.removed[v] -= now - max(0.0, beyond + ratio)
    own: cython.double = ratio if size == 1 else 0.0
    work.added[top] += max(0.0, beyond - own) - max(0.0, beyond + 1.0 - own)
    work.removed[top] += max(0.0, beyond + own) - max(0.0, beyond - 1.0 + own)
    return now


def may_meet(required, q, work, h, at, rows, size):
    """Return whether the tail is long enough if all rows that join are in it."""
    low = at + required.low[q]
    high = at + required.high[q]
    behind = _tail(work, h, low, high, rows, required.extra[q]) + size - rows
    return h[_top(h, low, high)] * required.den[q] < required.num[q] * behind
