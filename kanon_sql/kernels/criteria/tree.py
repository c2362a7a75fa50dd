"""A greatest distance from the whole table along the edges of a tree."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.distance import may_be_within, within, within_surely


def meets(required, q, work, h, at, rows):
    """Return whether the distance is within the threshold."""
    edges = required.edges[q]
    length = required.data_start[q]
    total = length + 2 * edges
    moved = 0
    rounded: cython.double = 0.0
    _sum_below(required, q, work, h, at)
    if required.exact[q]:
        for e in range(edges):
            gap = required.rows * work.below[e] - rows * required.data[total + e]
            moved += abs(gap) * required.data[length + e]
        return within(required, q, moved, rows)
    for e in range(edges):
        gap = required.rows * work.below[e] - rows * required.data[total + e]
        rounded += cython.cast(cython.double, abs(gap)) * required.data[length + e]
    return within_surely(required, q, rounded, rows)


def _sum_below(required, q, work, h, at):
    """Sum the counters below each edge of a tree into ``work.below``."""
    edges = required.edges[q]
    low = required.low[q]
    parent = required.data_start[q] + edges
    leaf = required.data_start[q] + 3 * edges - low
    for e in range(edges):
        work.below[e] = 0
    for v in range(low, required.high[q]):
        if h[at + v] and required.data[leaf + v] >= 0:
            work.below[required.data[leaf + v]] += h[at + v]
    for e in range(edges):
        if required.data[parent + e] >= 0:
            work.below[required.data[parent + e]] += work.below[e]


def shortfall(required, q, work, h, at, rows):
    """Return how much farther it is: a row more or less also changes what is below all edges above it."""
    edges = required.edges[q]
    length = required.data_start[q]
    leaf = length + 3 * edges - required.low[q]
    here: cython.double = 0.0
    all_more: cython.double = 0.0
    all_less: cython.double = 0.0
    scale: cython.double = 1.0 / required.extra[q]
    ratio: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q]
    _sum_below(required, q, work, h, at)
    for e in range(edges - 1, -1, -1):  # parents first
        long: cython.double = required.data[length + e] * scale
        share: cython.double = required.share[required.share_start[q] + e]
        over: cython.double = work.below[e] - share * rows
        here += long * abs(over)
        all_more += long * abs(over - share)
        all_less += long * abs(over + share)
        work.more[e] = long * (abs(over - share + 1.0) - abs(over - share))
        work.less[e] = long * (abs(over + share - 1.0) - abs(over + share))
        up = required.data[length + edges + e]
        if up >= 0:
            work.more[e] += work.more[up]
            work.less[e] += work.less[up]
    now: cython.double = max(0.0, here - ratio * rows)
    for v in range(required.low[q], required.high[q]):
        e = required.data[leaf + v]
        own: cython.double = work.more[e] if e >= 0 else 0.0
        work.added[v] += now - max(0.0, all_more + own - ratio * (rows + 1.0))
        own = work.less[e] if e >= 0 else 0.0
        work.removed[v] += now - max(0.0, all_less + own - ratio * (rows - 1.0))
    return now


def may_meet(required, q, work, h, at, rows, size):
    """Return whether what has to cross the edges at least is within the threshold."""
    rest = size - rows
    length = required.data_start[q]
    first = required.share_start[q]
    moved: cython.double = 0.0
    _sum_below(required, q, work, h, at)
    for e in range(required.edges[q]):
        over: cython.double = work.below[e] - required.share[first + e] * size
        moved += max(over, -over - rest, 0.0) * required.data[length + e]
    return may_be_within(required, q, moved, size)
