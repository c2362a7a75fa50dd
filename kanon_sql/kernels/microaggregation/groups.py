"""Classes of points with their sums, so that what a move saves is known in O(m).

Squared deviations inside of a class of n points with the sum S are the sum of all |x|^2 less |S|^2 / n. Of all partitions of
the same points that one loses least whose |S|^2 / n add up to most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int64, zeros_float64


@cython.final
@cython.cclass
class PointPartition:
    """A partition of points that may move, and of closed classes of equal rows that others may join.

    Parameters
    ----------
    x : float64 array [u, m]
        The points that may move.
    of : int64 array [u]
        The class of each.
    closed : float64 array [c, m]
        The rows of each closed class, equal ones: these are the first c classes.
    rows : int64 array [c]
        How many they are.
    classes, k : int
        Most classes, closed ones included, and the least rows of each.

    Attributes
    ----------
    size, most : int64 arrays [classes]
        Rows of each class, and their greatest number: 2k - 1, any number for a closed class.
    sums, value : float64 arrays [classes, m], [classes]
        The sum S of its rows, and |S|^2 / n.
    head, after, before : int64 arrays
        The points of each class as a linked list, -1 at its ends.
    squares : float
        The sum of all |x|^2.
    """

    def __init__(
        self,
        x: NDArray[np.float64],
        of: NDArray[np.int64],
        closed: NDArray[np.float64],
        rows: NDArray[np.int64],
        classes: int,
        k: int,
    ) -> None:
        size, most = np.zeros(classes, np.int64), np.full(classes, 2 * k - 1)
        size[: len(rows)], most[: len(rows)] = rows, np.iinfo(np.int64).max
        sums = np.zeros((classes, x.shape[1]))
        sums[: len(rows)] = closed * rows[:, None]
        self.x, self.columns, self.of, self.size, self.most = x, x.shape[1], of.copy(), size, most
        self.sums, self.value = sums, zeros_float64(classes)
        self.head, self.after = full_int64(classes, -1), full_int64(len(of), -1)
        self.before = full_int64(len(of), -1)
        self.squares = float((x * x).sum()) + float((closed * closed).sum(axis=1) @ rows)
        for i in range(len(of)):
            put(self, i, int(of[i]))
        for c in range(classes):
            weigh(self, c)

    def within(self) -> float:
        """Return the squared deviations inside of all classes."""
        return self.squares - float(np.asarray(self.value).sum())


@cython.final
@cython.cclass
class Points:
    """Which points are near each other; equal ones are one place.

    Parameters
    ----------
    near : int32 array [p, s]
        The places near each, or -1.
    of : int64 array [u]
        The place of each point that may move.
    first, units : int64 arrays [p]
        The first such point of a place, and how many there are.
    closed : int64 array [p]
        The closed class of a place, -1 where there is none.
    """

    def __init__(
        self,
        near: NDArray[np.int32],
        of: NDArray[np.int64],
        first: NDArray[np.int64],
        units: NDArray[np.int64],
        closed: NDArray[np.int64],
    ) -> None:
        self.near, self.of, self.first, self.units, self.closed = near, of, first, units, closed


def put(groups, i, c):
    """Let point i join class c, whose value is left to `weigh`."""
    for d in range(groups.columns):
        groups.sums[c, d] += groups.x[i, d]
    groups.size[c] += 1
    groups.of[i] = c
    groups.before[i] = -1
    groups.after[i] = groups.head[c]
    if groups.head[c] >= 0:
        groups.before[groups.head[c]] = i
    groups.head[c] = i


def take(groups, i):
    """Let point i leave its class, whose value is left to `weigh`."""
    c = groups.of[i]
    for d in range(groups.columns):
        groups.sums[c, d] -= groups.x[i, d]
    groups.size[c] -= 1
    if groups.before[i] >= 0:
        groups.after[groups.before[i]] = groups.after[i]
    else:
        groups.head[c] = groups.after[i]
    if groups.after[i] >= 0:
        groups.before[groups.after[i]] = groups.before[i]


def weigh(groups, c):
    """Work out the value of a class."""
    total: cython.double = 0.0
    for d in range(groups.columns):
        total += groups.sums[c, d] * groups.sums[c, d]
    groups.value[c] = total / groups.size[c] if groups.size[c] else 0.0


def with_unit(groups, c, i):
    """Return the value of a class that point i has joined."""
    total: cython.double = 0.0
    for d in range(groups.columns):
        each: cython.double = groups.sums[c, d] + groups.x[i, d]
        total += each * each
    return total / (groups.size[c] + 1)


def without_unit(groups, c, i):
    """Return the value of a class of two points or more that point i has left."""
    total: cython.double = 0.0
    for d in range(groups.columns):
        each: cython.double = groups.sums[c, d] - groups.x[i, d]
        total += each * each
    return total / (groups.size[c] - 1)


def swapped(groups, c, i, j):
    """Return the value of a class where point j has taken the place of point i."""
    total: cython.double = 0.0
    for d in range(groups.columns):
        each: cython.double = groups.sums[c, d] - groups.x[i, d] + groups.x[j, d]
        total += each * each
    return total / groups.size[c]


def class_near(groups, points, place, turn):
    """Return the closed class of a place, or that of one of its points."""
    if points.closed[place] >= 0:
        return points.closed[place]
    return groups.of[points.first[place] + turn % points.units[place]]
