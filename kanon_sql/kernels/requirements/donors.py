"""Repair: rows of other classes join a class until it meets its requirement: surplus rows first, then whole classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_float64, zeros_int64
from kanon_sql.kernels.criteria.dispatch import meets, shortfall
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement

_SMALL = cython.declare(cython.double, 1e-9)

_INFINITE = cython.declare(cython.double, float("inf"))

_SHARE = cython.declare(cython.double, 4.0)
"""Of the classes that seem to be needed, one part of so many is dissolved before all are looked at again."""


@cython.final
@cython.cclass
class Donors:
    """Pieces of classes whose rows may join another class.

    Parameters
    ----------
    required : EncodedRequirement
        What every class has to meet.
    group, copies, number : int32, int64, int64 arrays [q]
        Sensitive-value group, rows and class of each piece.
    order, first : int64 arrays [q], [g + 1]
        Pieces of group g are ``order[first[g] : first[g + 1]]``, cheapest first.
    extra : int64 array [c]
        What a row of each class costs more where it goes.
    rows, histogram : int64 arrays [c], [c, V]
        Of each class; they shrink.
    counter : int32 array [g, s]
        The counters that a row of each group raises.

    Attributes
    ----------
    gives : int64 array [q]
        The rows that each piece gives.
    at : int64 array [g]
        The first piece of each group that may have a surplus row.
    score, removes : float64 arrays [c]
        How much of the shortfall each class removes: for its cost, and at all.
    work : CriteriaWorkspace
        For the tests.
    """

    def __init__(
        self,
        required: EncodedRequirement,
        *,
        group: NDArray[np.int32],
        copies: NDArray[np.int64],
        number: NDArray[np.int64],
        order: NDArray[np.int64],
        first: NDArray[np.int64],
        extra: NDArray[np.int64],
        rows: NDArray[np.int64],
        histogram: NDArray[np.int64],
        counter: NDArray[np.int32],
    ) -> None:
        self.required, self.work, self.counter = required, CriteriaWorkspace(required), counter
        self.group, self.copies, self.number, self.order, self.first = group, copies, number, order, first
        self.extra, self.rows, self.histogram = extra, rows, histogram.ravel()
        self.gives, self.at = zeros_int64(len(group)), np.array(first)
        self.score, self.removes = zeros_float64(len(rows)), zeros_float64(len(rows))


def repair(donors: Donors, histogram: cython.longlong[::1], rows: cython.longlong, gives: cython.longlong[::1]) -> int:
    """Let rows join a class until it meets its requirement.

    Parameters
    ----------
    histogram : int64 array [V]
        Of the class; it grows.
    rows : int
        Rows that the class has.
    gives : int64 array [q]
        Set to the rows that each piece gives.

    Returns
    -------
    int
        The rows that the class has then; 0 if not even all rows of all classes meet the requirement.

    Notes
    -----
    O(g V) for each surplus row; O(c V) for some classes that are dissolved.
    """
    with cython.nogil:
        rows = _repair(donors, histogram, rows)
        gives[:] = donors.gives
    return rows


def _repair(donors, histogram, rows):
    while not meets(donors.required, donors.work, histogram, 0, rows):
        missing: cython.double = shortfall(donors.required, donors.work, histogram, 0, rows)
        best = _surplus(donors)
        if best >= 0:
            donors.gives[best] += 1
            rows += 1
            _count(donors, histogram, 0, best, 1)
            _count(donors, donors.histogram, donors.number[best] * donors.required.counters, best, -1)
            donors.rows[donors.number[best]] -= 1
            continue
        joined = _dissolve(donors, histogram, missing)
        if joined == 0:
            return 0
        rows += joined
    return rows


def _count(donors, histogram, at, q, rows):
    """Count rows of piece q in a histogram."""
    for b in range(donors.counter.shape[1]):
        histogram[at + donors.counter[donors.group[q], b]] += rows


def _surplus(donors):
    """Return the piece whose row removes most of the shortfall for its cost and is a surplus of its class; -1 if none is."""
    best = -1
    key: cython.double = _INFINITE
    for g in range(donors.counter.shape[0]):
        more: cython.double = 0.0
        for b in range(donors.counter.shape[1]):
            more += donors.work.added[donors.counter[g, b]]
        if more <= _SMALL:
            continue
        while donors.at[g] < donors.first[g + 1]:
            q = donors.order[donors.at[g]]
            c = donors.number[q]
            if donors.extra[c] >= key * more:
                break
            if donors.gives[q] < donors.copies[q] and _may_give(donors, q, c):
                best = q
                key = donors.extra[c] / more
                break
            donors.at[g] += 1
    return best


def _may_give(donors, q, c):
    """Return whether class c meets its requirement without a row of piece q."""
    at = c * donors.required.counters
    if donors.rows[c] <= donors.required.least:
        return False
    _count(donors, donors.histogram, at, q, -1)
    found: cython.bint = meets(donors.required, donors.work, donors.histogram, at, donors.rows[c] - 1)
    _count(donors, donors.histogram, at, q, 1)
    return found


def _dissolve(donors, histogram, missing):
    """Let the classes join that remove most of the shortfall for their cost; return their rows, 0 if there is no class.

    As many as surely are needed; the cheapest if none seems to help.
    """
    cheapest = _score(donors)
    if cheapest < 0:
        return 0
    best = _best_score(donors)
    if best < 0:
        joined = _join(donors, histogram, cheapest)
    else:
        reached: cython.double = donors.removes[best]
        joined = _join(donors, histogram, best)
        best = _best_score(donors)
        while best >= 0 and reached + donors.removes[best] <= missing / _SHARE:
            reached += donors.removes[best]
            joined += _join(donors, histogram, best)
            best = _best_score(donors)
    for q in range(donors.group.shape[0]):
        if donors.rows[donors.number[q]] == 0:
            donors.gives[q] = donors.copies[q]
    return joined


def _score(donors):
    """Score the classes that have rows; return the cheapest, -1 if there is none."""
    least = 0
    counters = donors.required.counters
    cheapest = -1
    for c in range(donors.rows.shape[0]):
        donors.score[c] = -_INFINITE
        donors.removes[c] = 0.0
        if donors.rows[c] == 0:
            continue
        for v in range(counters):
            donors.removes[c] += donors.histogram[c * counters + v] * donors.work.added[v]
        cost = donors.rows[c] * donors.extra[c]
        if donors.removes[c] > _SMALL:
            donors.score[c] = donors.removes[c] / max(cython.cast(cython.double, cost), 1e-3)
        if cheapest < 0 or cost < least:
            cheapest = c
            least = cost
    return cheapest


def _best_score(donors):
    """Return the class with the highest score, of equal ones the first; -1 if none helps."""
    best = -1
    for c in range(donors.score.shape[0]):
        if donors.score[c] > -_INFINITE and (best < 0 or donors.score[c] > donors.score[best]):
            best = c
    return best


def _join(donors, histogram, c):
    """Let all rows of a class join, and score it no more; return how many."""
    rows = donors.rows[c]
    for v in range(histogram.shape[0]):
        histogram[v] += donors.histogram[c * donors.required.counters + v]
    donors.rows[c] = 0
    donors.score[c] = -_INFINITE
    return rows
