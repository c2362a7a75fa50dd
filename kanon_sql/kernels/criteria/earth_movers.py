"""The cheapest transport between two distributions on a metric space: the earth mover's distance of any metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int64

_FAR = cython.declare(cython.longlong, 1 << 62)


@cython.final
@cython.cclass
class Transport:
    """A transport problem between values: its excess, its solution and scratch arrays.

    Parameters
    ----------
    values : int
        The most values of a problem.

    Attributes
    ----------
    excess : int64 array [v]
        What each value has too much, below 0 too little; the sum is 0.
    flow : int64 array [v * v]
        The cheapest flow from values with too much to values with too little, row by row.
    potential : int64 array [v]
        A dual: it changes between two values by no more than their distance, and ``potential @ excess`` is the cost.
    left : int64 array [v]
        The excess that has not been moved yet.
    price, distance, before, done : int64 arrays [v]
        Of Dijkstra's algorithm: node prices, path lengths, predecessors (-1: none), and whether the length is final.
    ordered, sources : int64 array [v], int
        The values with too much, ``ordered[:sources]``, and behind them the others, each in ascending order.
    """

    def __init__(self, values: int) -> None:
        self.excess, self.left = zeros_int64(values), zeros_int64(values)
        self.flow = zeros_int64(values * values)
        self.potential, self.price = zeros_int64(values), zeros_int64(values)
        self.distance, self.before = zeros_int64(values), zeros_int64(values)
        self.done, self.ordered, self.sources = zeros_int64(values), zeros_int64(values), 0


def transport(cost: NDArray[np.int64], excess: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cheapest flow int64 [v, v] from values with too much to values with too little, and a dual, int64 [v].

    Parameters
    ----------
    cost : int64 array [v * v]
        A metric, row by row: what is not too much may stay where it is.
    excess : int64 array [v]
        What each value has too much, below 0 too little; the sum is 0.

    Returns
    -------
    flow, potential
        As in `Transport`.

    Notes
    -----
    Successive shortest paths, with Dijkstra's algorithm on all pairs: O(v^3) in practice.
    """
    work, v = Transport(len(excess)), len(excess)
    np.asarray(work.excess)[:] = excess
    _solve(work, v, np.ascontiguousarray(cost))
    return np.asarray(work.flow).reshape(v, v), np.asarray(work.potential)


def _solve(work: Transport, v: cython.longlong, cost: cython.longlong[::1]) -> None:
    with cython.nogil:
        solve(work, v, cost, 0)


def solve(work, v, cost, at):
    """Solve the problem whose ``excess`` is given, with the metric ``cost[at : at + v * v]``."""
    for u in range(v * v):
        work.flow[u] = 0
    for u in range(v):
        work.left[u] = work.excess[u]
        work.price[u] = 0
    _order(work, v)
    target = _nearest_deficit(work, v, cost, at)
    while target >= 0:
        for u in range(v):
            work.price[u] += min(work.distance[u], work.distance[target])
        _augment(work, v, target)
        target = _nearest_deficit(work, v, cost, at)
    _set_potential(work, v, cost, at)


def _order(work, v):
    place = 0
    for u in range(v):
        if work.excess[u] > 0:
            work.ordered[place] = u
            place += 1
    work.sources = place
    for u in range(v):
        if work.excess[u] <= 0:
            work.ordered[place] = u
            place += 1


def _nearest_deficit(work, v, cost, at):
    """Return the value with too little that is nearest to one with too much; -1 when nothing is left to move."""
    supply: cython.bint = False
    for u in range(v):
        work.distance[u] = 0 if work.left[u] > 0 else _FAR
        work.before[u] = -1
        work.done[u] = 0
        supply = supply or work.left[u] > 0
    if not supply:
        return -1
    while True:
        u = -1
        nearest = _FAR
        for other in range(v):
            if work.distance[other] < nearest and not work.done[other]:
                u = other
                nearest = work.distance[other]
        work.done[u] = 1
        if work.left[u] < 0:
            return u
        nearest += work.price[u]
        if work.excess[u] > 0:
            for place in range(work.sources, v):
                other = work.ordered[place]
                if work.excess[other] < 0 and not work.done[other]:
                    length = nearest + cost[at + u * v + other] - work.price[other]
                    if length < work.distance[other]:
                        work.distance[other] = length
                        work.before[other] = u
        else:
            for place in range(work.sources):
                other = work.ordered[place]
                if work.flow[other * v + u] > 0 and not work.done[other]:
                    length = nearest - cost[at + other * v + u] - work.price[other]
                    if length < work.distance[other]:
                        work.distance[other] = length
                        work.before[other] = u


def _augment(work, v, target):
    """Move as much as possible along the path to the target."""
    u = target
    amount = -work.left[target]
    while work.before[u] >= 0:
        if work.excess[u] > 0:
            amount = min(amount, work.flow[u * v + work.before[u]])
        u = work.before[u]
    amount = min(amount, work.left[u])
    work.left[u] -= amount
    work.left[target] += amount
    u = target
    while work.before[u] >= 0:
        if work.excess[u] < 0:
            work.flow[work.before[u] * v + u] += amount
        else:
            work.flow[u * v + work.before[u]] -= amount
        u = work.before[u]


def _set_potential(work, v, cost, at):
    for u in range(v):
        least = _FAR
        for other in range(v):
            if work.excess[other] < 0:
                least = min(least, cost[at + u * v + other] - work.price[other])
        work.potential[u] = least if least < _FAR else 0
