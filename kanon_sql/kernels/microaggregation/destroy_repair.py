"""Destroy and repair: some classes near each other are dissolved, and grown again from other points.

References
----------
Schrimpf, Schneider, Stamm-Wilbrandt, Dueck: Record Breaking Optimization Results Using the Ruin and Recreate Principle (2000),
with threshold accepting.
"""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.microaggregation.groups import PointPartition, Points, class_near, put, take, weigh
from kanon_sql.kernels.microaggregation.new_classes import RebuildWorkspace, grow
from kanon_sql.kernels.random import below

_ATTEMPTS = cython.declare(cython.longlong, 6)
"""Draws of a neighbour for each class that is built again."""

_FRACTIONS = cython.declare(cython.longlong, 1 << 20)
"""Steps between nothing and all of the threshold."""


def rebuild(
    groups: PointPartition,
    points: Points,
    work: RebuildWorkspace,
    threshold: cython.double,
    steps: cython.longlong,
    state: cython.ulonglong[::1],
) -> None:
    """Rebuild classes near each other ``steps`` times; what loses too much is left as it was.

    Parameters
    ----------
    groups : PointPartition
        Changed.
    points : Points
        Which are near each other.
    work : RebuildWorkspace
        Of these groups.
    threshold : float
        What a step may lose at most.
    steps : int
        How often.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    O(m p^2) for a step with p points.
    """
    allowed: cython.double
    with cython.nogil:
        for turn in range(steps):
            _choose(groups, points, work, state)
            if work.many > 1:
                grow(groups, work, state)
                allowed = threshold * below(state, _FRACTIONS) / _FRACTIONS
                if work.made - work.many <= work.unused and _saved(groups, work) > -allowed:
                    _replace(groups, work)


def _choose(groups, points, work, state):
    """Choose the class of some point and classes near it, and list their points."""
    limit = work.dissolved.shape[0]
    c = groups.of[below(state, groups.of.shape[0])]
    total = groups.size[c]
    work.many = 0
    work.points = 0
    if total > limit or groups.most[c] > limit:
        return
    work.chosen[0] = c
    work.many = 1
    for attempt in range(_ATTEMPTS * work.chosen.shape[0]):
        if work.many == work.chosen.shape[0]:
            break
        c = work.chosen[below(state, work.many)]
        i = groups.head[c]
        for a in range(below(state, groups.size[c])):
            i = groups.after[i]
        place = points.near[points.of[i], below(state, points.near.shape[1])]
        if place < 0 or points.closed[place] >= 0:
            continue
        c = class_near(groups, points, place, below(state, points.units[place]))
        known: cython.bint = total + groups.size[c] > limit or groups.most[c] > limit
        for a in range(work.many):
            known = known or work.chosen[a] == c
        if not known:
            work.chosen[work.many] = c
            work.many += 1
            total += groups.size[c]
    for a in range(work.many):
        i = groups.head[work.chosen[a]]
        while i >= 0:
            work.dissolved[work.points] = i
            work.number[work.points] = -1
            work.points += 1
            i = groups.after[i]


def _saved(groups, work):
    """Return what the new classes save against those that were chosen."""
    saved: cython.double = 0.0
    for a in range(work.made):
        value: cython.double = 0.0
        for d in range(groups.columns):
            value += work.sums[a, d] * work.sums[a, d]
        saved += value / work.size[a]
    for a in range(work.many):
        saved -= groups.value[work.chosen[a]]
    return saved


def _replace(groups, work):
    """Put the new classes in the place of those that were chosen."""
    for a in range(work.points):
        take(groups, work.dissolved[a])
    for a in range(work.many):
        c = work.chosen[a]
        for d in range(groups.columns):
            groups.sums[c, d] = 0.0
        weigh(groups, c)
        work.free[work.unused] = c
        work.unused += 1
    for a in range(work.made):
        work.unused -= 1
        work.size[a] = work.free[work.unused]
    for a in range(work.points):
        put(groups, work.dissolved[a], work.size[work.number[a]])
    for a in range(work.made):
        weigh(groups, work.size[a])
