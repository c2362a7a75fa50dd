"""The requirement of a class, its criteria one after the other: the only place that distinguishes them."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria import count, distinct, entropy, equal, frequency, matrix, recursive, shares, tree
from kanon_sql.kernels.criteria.encoded import (
    COUNT,
    DISTINCT,
    ENTROPY,
    EQUAL,
    FREQUENCY,
    RECURSIVE,
    SHARES,
    TREE,
    CriteriaWorkspace,
    EncodedRequirement,
)


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def meets(
    required: EncodedRequirement, work: CriteriaWorkspace, h: cython.longlong[::1], at: cython.longlong, rows: cython.longlong
) -> cython.bint:
    """Return whether a class of some rows with the histogram ``h[at : at + V]`` meets all criteria; O(V), more for matrices."""
    met: cython.bint
    if rows < required.least:
        return False
    for q in range(required.criteria):
        met = criterion_meets(required, work, q, h, at, rows)
        if not met:
            return False
    return True


def criterion_meets(required, work, q, h, at, rows):
    """Return whether such a class meets one of the criteria."""
    kind = required.kind[q]
    if kind == FREQUENCY:
        return frequency.meets(required, q, h, at, rows)
    if kind == DISTINCT:
        return distinct.meets(required, q, h, at)
    if kind == ENTROPY:
        return entropy.meets(required, q, h, at, rows)
    if kind == RECURSIVE:
        return recursive.meets(required, q, work, h, at, rows)
    if kind == SHARES:
        return shares.meets(required, q, h, at, rows)
    if kind == COUNT:
        return count.meets(required, q, h, at)
    if kind == EQUAL:
        return equal.meets(required, q, h, at, rows)
    if kind == TREE:
        return tree.meets(required, q, work, h, at, rows)
    return matrix.meets(required, q, work, h, at, rows)


def shortfall(required, work, h, at, rows):
    """Return how many rows a class is away from its requirement, summed over the criteria; 0 is none.

    ``work.added`` and ``work.removed`` are set to how much smaller that were with a row more, and with a row less, at each
    counter; a row raises one counter of each attribute.

    Notes
    -----
    O(V), more for matrices. Floats: they only guide a search; whether a requirement is met is for `meets` to say.
    """
    short = max(0, required.least - rows)
    found: cython.double = short
    for v in range(required.counters):
        work.added[v] = 0.0
        work.removed[v] = 0.0
    if rows <= required.least:
        for v in range(required.of_first):
            work.added[v] = min(1, short)
            work.removed[v] = -1.0
    for q in range(required.criteria):
        found += criterion_shortfall(required, work, q, h, at, rows)
    return found


def criterion_shortfall(required, work, q, h, at, rows):
    """Return how many rows such a class is away from one of the criteria."""
    kind = required.kind[q]
    if kind == EQUAL:
        return equal.shortfall(required, q, work, h, at, rows)
    if kind == FREQUENCY:
        return frequency.shortfall(required, q, work, h, at, rows)
    if kind == DISTINCT:
        return distinct.shortfall(required, q, work, h, at)
    if kind == ENTROPY:
        return entropy.shortfall(required, q, work, h, at, rows)
    if kind == RECURSIVE:
        return recursive.shortfall(required, q, work, h, at, rows)
    if kind == SHARES:
        return shares.shortfall(required, q, work, h, at, rows)
    if kind == COUNT:
        return count.shortfall(required, q, work, h, at)
    if kind == TREE:
        return tree.shortfall(required, q, work, h, at, rows)
    return matrix.shortfall(required, q, work, h, at, rows)


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def may_meet(
    required: EncodedRequirement,
    work: CriteriaWorkspace,
    h: cython.longlong[::1],
    at: cython.longlong,
    rows: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Return whether rows with the histogram ``h[at : at + V]`` may be in a class of ``size`` rows that meets all criteria.

    Parameters
    ----------
    required, work
        The requirement, and scratch arrays of its tests.
    h, at : int64 array, int
        The histogram.
    rows, size : int
        Rows in the histogram, and the rows of the class, as many or more.

    Notes
    -----
    The missing rows may have any values, for each criterion apart. O(V), O(V log size) for the entropy, O(V^2) for matrices.
    Floats, and never too strict but for their rounding: they only lead the way; whether a requirement is met is for `meets` to
    say.
    """
    may: cython.bint
    for q in range(required.criteria):
        kind = required.kind[q]
        if kind == FREQUENCY:
            may = frequency.may_meet(required, q, h, at, size)
        elif kind == DISTINCT:
            may = distinct.may_meet(required, q, h, at, rows, size)
        elif kind == ENTROPY:
            may = entropy.may_meet(required, q, h, at, rows, size)
        elif kind == RECURSIVE:
            may = recursive.may_meet(required, q, work, h, at, rows, size)
        elif kind == SHARES:
            may = shares.may_meet(required, q, h, at, rows, size)
        elif kind == COUNT:
            may = count.may_meet(required, q, h, at, rows, size)
        elif kind == EQUAL:
            may = equal.may_meet(required, q, h, at, size)
        elif kind == TREE:
            may = tree.may_meet(required, q, work, h, at, rows, size)
        else:
            may = matrix.may_meet(required, q, h, at, size)
        if not may:
            return False
    return True


def largest(part, total):
    """Keep the most of all rows that meet the requirement; return how many, 0 if none, -1 if there is no rule for it."""
    if part.required.criteria == 1 and part.counter.shape[1] == 1:
        if part.required.kind[0] == FREQUENCY:
            return frequency.largest(part)
        if part.required.kind[0] == EQUAL:
            return equal.largest(part, total)
    return -1
