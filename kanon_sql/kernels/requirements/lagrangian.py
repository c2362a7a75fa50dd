"""The Lagrangian relaxation under requirements: what instances gain from prices, after penalties on sensitive values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.gains import gain
from kanon_sql.kernels.requirements.candidates import Candidates
from kanon_sql.kernels.requirements.limits import Limits, Penalties, count, penalty_of, set_penalties, step

_STEPS = cython.declare(cython.longlong, 64)
"""Steps of a pass; each is 1/16 shorter than the one before."""

_PASSES = cython.declare(cython.longlong, 2)
"""Passes, each from the best multipliers so far; the first step of each is 1/4 of that of the pass before."""


@cython.final
@cython.cclass
class Relaxed:
    """The costs and rows of a relaxation.

    Parameters
    ----------
    cost : int64 array [j]
        What a row costs in each instance, in units of the prices.
    weight : int64 array [t]
        Rows of each row type.
    least : int
        Least rows of a class.
    """

    def __init__(self, cost: NDArray[np.int64], weight: NDArray[np.int64], least: int) -> None:
        self.cost, self.weight, self.least = cost, weight, least


def advance(
    limits: Limits,
    candidates: Candidates,
    relaxed: Relaxed,
    price: cython.longlong[::1],
    length: cython.longlong,
    multipliers: cython.longlong[:, ::1],
    chunk: tuple[int, int],
    covered: cython.longlong[::1],
) -> int:
    """Return what a chunk of instances gains at most, and take a step with the multipliers of those that gain something.

    O(items and edges).

    Parameters
    ----------
    limits : Limits
        What every class keeps.
    candidates : Candidates
        The row types of each instance by sensitive values.
    relaxed : Relaxed
        Their costs and rows.
    price : int64 array [t]
        Price of a row of each row type.
    length : int
        Of the step, in units of the prices.
    multipliers : int64 array [j, e + q + 1]
        See `Penalties`.
    chunk : tuple of int
        The first instance, and the one behind the last.
    covered : int64 array [t]
        Grows by the rows whose price exceeds their cost and penalty.
    """
    first: cython.longlong = chunk[0]
    last: cython.longlong = chunk[1]
    total = 0
    penalties: Penalties = Penalties(limits)
    with cython.nogil:
        for j in range(first, last):
            total += advance_one(limits, candidates, relaxed, penalties, price, length, multipliers, j, covered)
    return total


def advance_one(limits, candidates, relaxed, penalties, price, length, multipliers, j, covered):
    """Do what `advance` does, for one instance."""
    penalties.multiplier[:] = multipliers[j]
    gained, rows = penalized_gain(limits, candidates, relaxed, penalties, price, j)
    if gained <= 0:
        return 0
    _cover(limits, candidates, relaxed, penalties, price, j, covered)
    step(limits, penalties, rows, relaxed.least, length)
    multipliers[j, :] = penalties.multiplier
    return gained


def gains(
    limits: Limits,
    candidates: Candidates,
    relaxed: Relaxed,
    price: cython.longlong[::1],
    longest: cython.longlong,
    multipliers: cython.longlong[:, ::1],
    chunk: tuple[int, int],
) -> NDArray[np.int64]:
    """Return what each instance of a chunk gains at most, at least 0, with multipliers by a rule that depends on nothing else.

    The multipliers are 0 at first. Steps of a pass begin with ``longest`` and end where nothing is gained; of all multipliers
    on the way those with which least was gained are kept, the first of them. With these the gain is that of the rows whose
    price exceeds their cost and penalty, and the best others up to the least number of rows.

    O(items and edges) a step. The verification of certificates follows the same rule.
    """
    first: cython.longlong = chunk[0]
    last: cython.longlong = chunk[1]
    found = np.zeros(last - first, np.int64)
    result: cython.longlong[::1] = found
    penalties: Penalties = Penalties(limits)
    kept: Penalties = Penalties(limits)
    profit: cython.longlong[::1] = np.zeros(len(price), np.int64)
    top_up: cython.longlong[::1] = np.empty(relaxed.least, np.int64)
    with cython.nogil:
        for j in range(first, last):
            result[j - first] = gain_of_one(limits, candidates, relaxed, penalties, kept, price, longest, j, profit, top_up)
            multipliers[j, :] = kept.multiplier
    return found


def gain_of_one(limits, candidates, relaxed, penalties, kept, price, longest, j, profit, top_up):
    """Return what one instance gains at most, and keep its multipliers; ``profit`` [t] and ``top_up`` [least] are scratch."""
    chosen = _choose(limits, candidates, relaxed, penalties, kept, price, longest, j)
    return 0 if chosen <= 0 else max(0, gain_after(limits, candidates, relaxed, kept, price, j, profit, top_up))


def _choose(limits, candidates, relaxed, penalties, kept, price, longest, j):
    """Choose multipliers by the rule, and return the gain that they lead to, with another one of the least number of rows."""
    lowest = 0
    length = longest
    penalties.multiplier[:] = 0
    for k in range(_PASSES * _STEPS):
        if k > 0 and k % _STEPS == 0:
            penalties.multiplier[:] = kept.multiplier
            length = longest >> (2 * (k // _STEPS))
        gained, rows = penalized_gain(limits, candidates, relaxed, penalties, price, j)
        if k == 0 or gained < lowest:
            lowest = gained
            kept.multiplier[:] = penalties.multiplier
            if gained <= 0:
                break
        step(limits, penalties, rows, relaxed.least, length)
        length -= length >> 4
    return lowest


def penalized_gain(limits, candidates, relaxed, penalties, price, j):
    """Penalize an instance; return what it gains at most, and the rows whose price still exceeds their cost; count these."""
    covered = 0
    set_penalties(limits, penalties)
    gained = -penalties.opening * relaxed.least
    for s in range(candidates.begin[j], candidates.begin[j + 1]):
        spent = _spent(limits, candidates, relaxed, penalties, j, s) - penalties.opening
        rows = 0
        for a in range(candidates.first[s], candidates.first[s + 1]):
            i = candidates.item[a]
            if price[i] > spent:
                gained += relaxed.weight[i] * (price[i] - spent)
                rows += relaxed.weight[i]
        if rows:
            count(limits, penalties, candidates.counter, candidates.group[s], rows)
            covered += rows
    return gained, covered


def _spent(limits, candidates, relaxed, penalties, j, s):
    """Return the cost of a row of a segment, penalties included."""
    return relaxed.cost[j] + penalty_of(limits, penalties, candidates.counter, candidates.group[s]) - penalties.back


def _cover(limits, candidates, relaxed, penalties, price, j, covered):
    """Add the rows that `penalized_gain` counted."""
    for s in range(candidates.begin[j], candidates.begin[j + 1]):
        spent = _spent(limits, candidates, relaxed, penalties, j, s) - penalties.opening
        for a in range(candidates.first[s], candidates.first[s + 1]):
            i = candidates.item[a]
            if price[i] > spent:
                covered[i] += relaxed.weight[i]


def gain_after(limits, candidates, relaxed, penalties, price, j, profit, top_up):
    """Return what the least number of rows or more gain at most, penalized; ``profit`` [t] and ``top_up`` [k] are scratch."""
    first = candidates.first[candidates.begin[j]]
    last = candidates.first[candidates.begin[j + 1]]
    set_penalties(limits, penalties)
    for s in range(candidates.begin[j], candidates.begin[j + 1]):
        spent = _spent(limits, candidates, relaxed, penalties, j, s)
        for a in range(candidates.first[s], candidates.first[s + 1]):
            profit[candidates.item[a]] = price[candidates.item[a]] - spent
    return gain(candidates.item, first, last, relaxed.weight, profit, 0, relaxed.least, 0, top_up)[0]
