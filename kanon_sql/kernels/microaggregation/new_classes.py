"""New classes of the points of some dissolved ones: each grows around a point that is far out or drawn."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_float64, empty_int64
from kanon_sql.kernels.microaggregation.groups import PointPartition
from kanon_sql.kernels.random import below


@cython.final
@cython.cclass
class RebuildWorkspace:
    """Scratch arrays, and what is built again at once.

    Parameters
    ----------
    groups : PointPartition
        The classes that there are.
    k, most : int
        Least rows of a class, and most classes that are built again at once.

    Attributes
    ----------
    chosen, many : int64 array, int
        ``chosen[:many]`` are these classes.
    dissolved, number, points : int64 arrays, int
        ``dissolved[:points]`` are their points, ``number`` their new classes, -1 before they have one.
    size, sums, made : int64 array, float64 array, int
        The rows and the sum of each of ``made`` new classes.
    free, unused : int64 array, int
        ``free[:unused]`` are the numbers of no class.
    centre : float64 array [m]
        A point.
    """

    def __init__(self, groups: PointPartition, k: int, most: int) -> None:
        limit = 2 * k * most
        self.k, self.many, self.points, self.made = k, 0, 0, 0
        self.chosen = empty_int64(most)
        self.dissolved, self.number = empty_int64(limit), empty_int64(limit)
        self.size, self.sums = empty_int64(2 * most + 1), np.empty((2 * most + 1, groups.columns))
        empty = np.flatnonzero(np.asarray(groups.size) == 0)
        free = np.zeros(len(groups.size) + most, np.int64)
        free[: len(empty)] = empty
        self.free, self.unused = free, len(empty)
        self.centre = empty_float64(groups.columns)


def grow(groups, work, state):
    """Grow classes of k points around points that are far out or drawn; the last go where they add least."""
    rest = work.points
    work.made = 0
    while rest >= work.k:
        p = work.made
        at = _start(groups, work, rest, state)
        work.size[p] = 0
        for d in range(groups.columns):
            work.sums[p, d] = 0.0
        while True:
            _join(groups, work, at, p)
            rest -= 1
            if work.size[p] == work.k:
                break
            for d in range(groups.columns):
                work.centre[d] = work.sums[p, d] / work.size[p]
            at = _nearest(groups, work)
        work.made += 1
    for a in range(work.points):
        if work.number[a] < 0:
            at = 0
            best: cython.double = 0.0
            for p in range(work.made):
                each: cython.double = _growth(groups, work, a, p)
                if p == 0 or each < best:
                    at = p
                    best = each
            _join(groups, work, a, at)


def _join(groups, work, a, p):
    work.number[a] = p
    work.size[p] += 1
    for d in range(groups.columns):
        work.sums[p, d] += groups.x[work.dissolved[a], d]


def _start(groups, work, rest, state):
    """Return the unassigned point that is farthest from the mean of all of them, or one that is drawn."""
    most: cython.double = -1.0
    drawn = below(state, 2 * rest)
    at = 0
    for d in range(groups.columns):
        work.centre[d] = 0.0
    for a in range(work.points):
        if work.number[a] < 0:
            if drawn == 0:
                return a
            drawn -= 1
            for d in range(groups.columns):
                work.centre[d] += groups.x[work.dissolved[a], d]
    for d in range(groups.columns):
        work.centre[d] /= rest
    for a in range(work.points):
        if work.number[a] < 0:
            away: cython.double = _distance(groups, work, a)
            if away > most:
                most = away
                at = a
    return at


def _nearest(groups, work):
    """Return the unassigned point that is nearest to the centre."""
    at = -1
    least: cython.double = 0.0
    for a in range(work.points):
        if work.number[a] < 0:
            away: cython.double = _distance(groups, work, a)
            if at < 0 or away < least:
                least = away
                at = a
    return at


def _distance(groups, work, a):
    total: cython.double = 0.0
    for d in range(groups.columns):
        each: cython.double = groups.x[work.dissolved[a], d] - work.centre[d]
        total += each * each
    return total


def _growth(groups, work, a, p):
    """Return by how much the squared deviations of a new class grow if a point joins."""
    for d in range(groups.columns):
        work.centre[d] = work.sums[p, d] / work.size[p]
    return _distance(groups, work, a) * work.size[p] / (work.size[p] + 1)
