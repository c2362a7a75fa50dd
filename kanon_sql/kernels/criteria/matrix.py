"""A greatest distance from the whole table in any metric: the cheapest transport."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.distance import may_be_within, within, within_surely
from kanon_sql.kernels.criteria.earth_movers import solve


def meets(required, q, work, h, at, rows):
    """Return whether the distance is within the threshold."""
    size = required.high[q] - required.low[q]
    cost = required.data_start[q]
    moved = 0
    rounded: cython.double = 0.0
    _solve(required, q, work, h, at, rows)
    if required.exact[q]:
        for v in range(size * size):
            moved += work.transport.flow[v] * required.data[cost + v]
        return within(required, q, moved, rows)
    for v in range(size * size):
        rounded += cython.cast(cython.double, work.transport.flow[v]) * required.data[cost + v]
    return within_surely(required, q, rounded, rows)


def _solve(required, q, work, h, at, rows):
    """Transport what each value of a class has more than its share, times the rows of the table, to those that have less."""
    low = required.low[q]
    size = required.high[q] - low
    for v in range(size):
        work.transport.excess[v] = required.rows * h[at + low + v] - rows * required.total[low + v]
    solve(work.transport, size, required.data, required.data_start[q])


def shortfall(required, q, work, h, at, rows):
    """Return how much more the transport costs: a row more or less changes that by its potential."""
    low = required.low[q]
    size = required.high[q] - low
    ratio: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q]
    _solve(required, q, work, h, at, rows)
    scale: cython.double = 1.0 / required.extra[q]
    mean: cython.double = 0.0
    beyond: cython.double = -ratio * rows
    for v in range(size):
        excess: cython.double = work.transport.excess[v]  # as a float: C division of whole numbers truncates
        mean += work.transport.potential[v] * scale * required.share[low + v]
        beyond += work.transport.potential[v] * scale * (excess / required.rows)
    now: cython.double = max(0.0, beyond)
    for v in range(size):
        slope: cython.double = work.transport.potential[v] * scale - mean - ratio
        work.added[low + v] += now - max(0.0, beyond + slope)
        work.removed[low + v] += now - max(0.0, beyond - slope)
    return now


def may_meet(required, q, h, at, size):
    """Return whether the way from each value that is too frequent to the nearest other is within the threshold; O(V^2)."""
    low = required.low[q]
    values_of = required.high[q] - low
    first = required.data_start[q]
    found: cython.double = 0.0
    for v in range(values_of):
        over: cython.double = h[at + low + v] - required.share[low + v] * size
        if over > 0.0:
            way = -1
            for u in range(values_of):
                if u != v and (way < 0 or required.data[first + v * values_of + u] < way):
                    way = required.data[first + v * values_of + u]
            if way > 0:
                found += over * way
    return may_be_within(required, q, found, size)
