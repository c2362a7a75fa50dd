"""The largest part of an instance that meets the requirement, by sensitive-value group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.requirements.candidates import Candidates
    from cython.cimports.kanon_sql.kernels.requirements.criteria import meets
    from cython.cimports.kanon_sql.kernels.requirements.encoded import EQUAL, FREQUENCY, EncodedRequirement, Workspace
    from cython.cimports.kanon_sql.kernels.requirements.shortfall import shortfall
else:
    from kanon_sql.kernels.requirements.candidates import Candidates
    from kanon_sql.kernels.requirements.criteria import meets
    from kanon_sql.kernels.requirements.encoded import EQUAL, FREQUENCY, EncodedRequirement, Workspace
    from kanon_sql.kernels.requirements.shortfall import shortfall

_SMALL = cython.declare(cython.double, 1e-9)

_SHARE = cython.declare(cython.longlong, 64)
"""Of a shortfall, one part of so many is removed at once."""


@cython.final
@cython.cclass
class Part:
    """An instance by sensitive-value group, and the part of it that stays.

    Parameters
    ----------
    required : EncodedRequirement
        What a class has to meet.
    counter : int32 array [g, s]
        The counters that a row of each group raises.

    Attributes
    ----------
    groups, group : int, int32 array [g]
        The instance has rows of the groups ``group[:groups]``.
    rows, keep : int64 arrays [g]
        Rows of each group, and of them those that stay.
    histogram : int64 array [V]
        Of the rows that stay.
    work : Workspace
        For the tests.
    """

    def __init__(self, required: EncodedRequirement, counter: NDArray[np.int32]) -> None:
        self.required, self.work, self.counter = required, Workspace(required), counter
        self.groups = 0
        self.group = np.empty(len(counter), np.int32)
        self.rows, self.keep = np.zeros(len(counter), np.int64), np.zeros(len(counter), np.int64)
        self.histogram = np.zeros(required.counters, np.int64)


def largest_parts(part: Part, candidates: Candidates, weight: cython.longlong[::1]) -> NDArray[np.int64]:
    """Return how many rows of each instance can stay, as `largest_part` finds them, int64 [j]."""
    found = np.zeros(len(candidates.begin) - 1, np.int64)
    _largest_parts(part, candidates, weight, found)
    return found


def _largest_parts(part: Part, candidates: Candidates, weight: cython.longlong[::1], found: cython.longlong[::1]) -> None:
    j: cython.longlong
    s: cython.longlong
    a: cython.longlong
    g: cython.longlong
    with cython.nogil:
        for j in range(found.shape[0]):
            part.groups = 0
            for s in range(candidates.begin[j], candidates.begin[j + 1]):
                g = candidates.group[s]
                part.group[part.groups] = g
                part.groups += 1
                part.rows[g] = 0
                for a in range(candidates.first[s], candidates.first[s + 1]):
                    part.rows[g] += weight[candidates.item[a]]
            found[j] = largest_part(part)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def largest_part(part: Part) -> cython.longlong:
    """Return how many rows of an instance can stay, 0 if none; set how many of each group.

    Notes
    -----
    Exact for a single requirement of the equal distance or of frequency; else rows leave one after the other that remove most
    of the shortfall, and what stays may not be the most. O(V log n) where it is exact, and where it is not O(c + V) for each
    row that leaves, or for a 64th of all that have to.

    References
    ----------
    Frequency: if the most frequent value has c rows, at best all others have as many of theirs; more rows of each value do
    no harm below c, so the largest c decides. Equal distance: r rows can stay if what is within the shares of r is 1 - t of
    them; the shares of r grow with r slower than r, so r is an interval, but for what rounding takes away.
    """
    total: cython.longlong = _keep_all(part)
    if meets(part.required, part.work, part.histogram, 0, total):
        return total
    if part.required.criteria == 1 and part.counter.shape[1] == 1:
        if part.required.kind[0] == FREQUENCY:
            return _frequent(part)
        if part.required.kind[0] == EQUAL:
            return _equal(part, total)
    return _without_shortfall(part, total)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def whole_part(part: Part) -> cython.longlong:
    """Keep all rows if they meet the requirement together, else none; return how many."""
    total: cython.longlong = _keep_all(part)
    return total if meets(part.required, part.work, part.histogram, 0, total) else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_all(part: Part) -> cython.longlong:
    """Keep all rows; return how many."""
    v: cython.longlong
    a: cython.longlong
    g: cython.longlong
    b: cython.longlong
    total: cython.longlong = 0
    for v in range(part.histogram.shape[0]):
        part.histogram[v] = 0
    for a in range(part.groups):
        g = part.group[a]
        part.keep[g] = part.rows[g]
        total += part.rows[g]
        for b in range(part.counter.shape[1]):
            part.histogram[part.counter[g, b]] += part.rows[g]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _without_shortfall(part: Part, total: cython.longlong) -> cython.longlong:
    """Let rows leave that remove most of the shortfall; return how many stay."""
    a: cython.longlong
    g: cython.longlong
    b: cython.longlong
    best: cython.longlong
    gone: cython.longlong
    missing: cython.double
    most: cython.double
    less: cython.double
    while total > part.required.least:
        missing = shortfall(part.required, part.work, part.histogram, 0, total)
        if missing < _SMALL:
            break
        best = -1
        most = _SMALL
        for a in range(part.groups):
            g = part.group[a]
            if part.keep[g]:
                less = 0.0
                for b in range(part.counter.shape[1]):
                    less += part.work.removed[part.counter[g, b]]
                if less > most:
                    best = g
                    most = less
        if best < 0:
            return 0
        gone = min(part.keep[best], 1 + cython.cast(cython.longlong, missing / most) // _SHARE)
        part.keep[best] -= gone
        total -= gone
        for b in range(part.counter.shape[1]):
            part.histogram[part.counter[best, b]] -= gone
    return total if meets(part.required, part.work, part.histogram, 0, total) else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _frequent(part: Part) -> cython.longlong:
    """Keep at most c rows of each value, with the largest c for which c is at most a 1/l of them."""
    a: cython.longlong
    g: cython.longlong
    middle: cython.longlong
    total: cython.longlong
    low: cython.longlong = 0
    high: cython.longlong = 0
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
    return total if low and meets(part.required, part.work, part.histogram, 0, total) else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _equal(part: Part, most: cython.longlong) -> cython.longlong:
    """Keep as many rows as are close: of each value its share, rounded by the largest remainders, and some beyond."""
    a: cython.longlong
    g: cython.longlong
    middle: cython.longlong
    total: cython.longlong
    within: cython.double
    ratio: cython.double = cython.cast(cython.double, part.required.num[0]) / part.required.den[0]
    slack: cython.double = ratio * part.required.extra[0] / 2.0
    low: cython.longlong = 0
    high: cython.longlong = most
    while low < high:
        middle = (low + high + 1) // 2
        within = 0.0
        for a in range(part.groups):
            g = part.group[a]
            within += min(cython.cast(cython.double, part.rows[g]), middle * part.required.share[part.counter[g, 0]])
        if within >= (1.0 - slack) * middle - _SMALL * middle:
            low = middle
        else:
            high = middle - 1
    for total in range(low, part.required.least - 1, -1):
        _keep_shares(part, total)
        for a in range(part.groups):
            part.histogram[part.counter[part.group[a], 0]] = part.keep[part.group[a]]
        if meets(part.required, part.work, part.histogram, 0, total):
            return total
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_shares(part: Part, total: cython.longlong) -> cython.void:
    """Keep so many rows, of each value about its share."""
    a: cython.longlong
    g: cython.longlong
    best: cython.longlong
    some: cython.longlong
    gain: cython.double
    most: cython.double
    missing: cython.longlong = total
    left: cython.longlong = 0
    for a in range(part.groups):
        g = part.group[a]
        part.keep[g] = min(part.rows[g], cython.cast(cython.longlong, total * part.required.share[part.counter[g, 0]]))
        missing -= part.keep[g]
    while missing:
        best = -1
        most = _SMALL
        for a in range(part.groups):
            g = part.group[a]
            gain = total * part.required.share[part.counter[g, 0]] - part.keep[g]
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
    beyond: cython.longlong = missing
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
