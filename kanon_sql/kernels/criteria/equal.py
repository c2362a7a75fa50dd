"""A greatest distance from the whole table where any two values are equally far apart."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.distance import may_be_within, within, within_surely

_SMALL = cython.declare(cython.double, 1e-9)


def meets(required, q, h, at, rows):
    """Return whether the distance is within the threshold."""
    moved = 0
    rounded: cython.double = 0.0
    if required.exact[q]:
        for v in range(required.low[q], required.high[q]):
            gap = required.rows * h[at + v] - rows * required.total[v]
            moved += abs(gap)
        return within(required, q, moved, rows)
    for v in range(required.low[q], required.high[q]):
        gap = required.rows * h[at + v] - rows * required.total[v]
        rounded += abs(gap)
    return within_surely(required, q, rounded, rows)


def shortfall(required, q, work, h, at, rows):
    """Return what is above the shares of the whole table, all values together."""
    slack: cython.double = cython.cast(cython.double, required.num[q]) / required.den[q] * required.extra[q] / 2.0
    here: cython.double = -slack * rows
    more: cython.double = -slack * (rows + 1.0)
    less: cython.double = -slack * (rows - 1.0)
    for v in range(required.low[q], required.high[q]):
        share: cython.double = required.share[v]
        over: cython.double = h[at + v] - share * rows
        here += max(0.0, over)
        more += max(0.0, over - share)
        less += max(0.0, over + share)
    now: cython.double = max(0.0, here)
    for v in range(required.low[q], required.high[q]):
        share = required.share[v]
        over = h[at + v] - share * rows
        work.added[v] += now - max(0.0, more + min(1.0, max(0.0, over - share + 1.0)))
        work.removed[v] += now - max(0.0, less - min(1.0, max(0.0, over + share)))
    return now


def may_meet(required, q, h, at, size):
    """Return whether what is above the shares of the whole table is within the threshold."""
    above: cython.double = 0.0
    for v in range(required.low[q], required.high[q]):
        above += max(0.0, h[at + v] - required.share[v] * size)
    return may_be_within(required, q, 2.0 * above, size)


def largest(part, most):
    """Keep as many of ``most`` rows as are close: of each value its share, rounded by the largest remainders, and some beyond.

    r rows can stay if what is within the shares of r is 1 - t of them; the shares of r grow with r slower than r, so r is an
    interval, but for what rounding takes away. Returns how many, or 0.
    """
    ratio: cython.double = cython.cast(cython.double, part.required.num[0]) / part.required.den[0]
    slack: cython.double = ratio * part.required.extra[0] / 2.0
    low = 0
    high = most
    while low < high:
        middle = (low + high + 1) // 2
        inside: cython.double = 0.0
        for a in range(part.groups):
            g = part.group[a]
            inside += min(cython.cast(cython.double, part.rows[g]), middle * part.required.share[part.counter[g, 0]])
        if inside >= (1.0 - slack) * middle - _SMALL * middle:
            low = middle
        else:
            high = middle - 1
    for total in range(low, part.required.least - 1, -1):
        _keep_shares(part, total)
        for a in range(part.groups):
            part.histogram[part.counter[part.group[a], 0]] = part.keep[part.group[a]]
        if meets(part.required, 0, part.histogram, 0, total):
            return total
    return 0


def _keep_shares(part, total):
    """Keep so many rows, of each value about its share."""
    missing = total
    left = 0
    for a in range(part.groups):
        g = part.group[a]
        part.keep[g] = min(part.rows[g], cython.cast(cython.longlong, total * part.required.share[part.counter[g, 0]]))
        missing -= part.keep[g]
    while missing:
        best = -1
        most: cython.double = _SMALL
        for a in range(part.groups):
            g = part.group[a]
            gain: cython.double = total * part.required.share[part.counter[g, 0]] - part.keep[g]
            if part.keep[g] < part.rows[g] and gain > most:
                best = g
                most = min(gain, 1.0)
        if best < 0:
            break
        part.keep[best] += 1
        missing -= 1
    # What is beyond the shares is free to choose: it is taken in proportion, so that the others stay alike.
    for a in range(part.groups):
        left += part.rows[part.group[a]] - part.keep[part.group[a]]
    beyond = missing
    for a in range(part.groups):
        g = part.group[a]
        if missing:
            some = min(missing, beyond * (part.rows[g] - part.keep[g]) // left)
            part.keep[g] += some
            missing -= some
    for a in range(part.groups):
        g = part.group[a]
        some = min(missing, part.rows[g] - part.keep[g])
        part.keep[g] += some
        missing -= some
