"""A lower bound by prices (dual values): if sum(p[i] for i in C) <= loss(C) for all classes C of k rows, sum(p) is a bound.

Such prices are at most the loss of larger classes, too. The mean over the subsets of k rows shows it: the prices of a class
of s rows add up to at most s (k - 1) / (k (s - 1)) of its sum of squares.

They are the dual values of a linear program of classes of k rows: how often each is made, so that every row is in one. ::

    minimize    sum cost[g] x[g]
    subject to  sum_g |g and v| x[g] = rows[v]      for every row type v
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.microaggregation import priced_above_loss
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation.places import PlacedRows
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Prices

METHOD = "prices of classes of k rows"

_MOST_ROWS, _MOST_K = 2500, 8
"""Rows and k up to which prices are looked for: all distances are kept, and the search grows fast with k."""

_SCALE, _LARGEST = 1 << 30, 1 << 61
"""Units of a cell, and what no sum of distances exceeds; less are taken where they would."""

_ROUNDS, _CLOSE, _WORTHWHILE = 40, 0.003, 0.1
"""Rounds at most; no more are made if they raise the bound by such a share at most, or of the gap that is sure to remain."""

_STEPS, _MOST_STEPS = 1_000_000, 3_000_000
"""Steps of the searches of one round, and of all rounds: some seconds."""

_SIMPLEX = 25_000_000
"""Steps of the simplex method, times row types: some seconds."""

_FIRST_SHARE = 0.5
"""How far prices go from the best valid ones to those of the program, at first; half as far after a round that did not end."""

_NOTHING = 1e-9
"""Loss of a row below which a release is as good as free. Such small numbers would defeat the program."""

_ROUNDING = 2.0**-40
"""Of a square distance: more than rounding may have added to it."""

_PENALTY = 4.0
"""What a row without a class costs, of the greatest cost of a class."""


def class_prices(placed: PlacedRows, release: SummaryPartition, k: int, budget: Budget) -> Prices | None:
    """Return prices that exceed the sum of squares of no class of k rows; None if none are found.

    Parameters
    ----------
    placed : PlacedRows
        t row types without NULL, together at least k rows.
    release : SummaryPartition
        Some good release: its classes are those that the prices begin with.

    Notes
    -----
    A linear program over the classes found so far sets the prices, and `priced_above_loss` finds classes whose prices exceed
    their loss; those join the program. The price of a row from which such a class was found falls by 1/k of the excess, so all
    prices are valid after each round. O(n^2) for n rows, and what the searches take; memory 16 n^2 bytes.
    """
    rows, free = placed.rows, placed.rows < k
    place = np.repeat(np.arange(len(rows)), np.minimum(rows, np.where(free, k, k - 1)))
    if not 2 <= k <= _MOST_K or not k <= len(place) <= _MOST_ROWS or budget.over():
        return None
    distance, scale = _distances(placed.x[place], k)
    first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    near = np.argsort(distance[first], axis=1, kind="stable")[:, :k]
    best = np.where(free, np.take_along_axis(distance[first], near, axis=1).sum(axis=1) // (2 * k), 0)
    classes, losses = _classes(placed.x, release)
    if not free.any() or losses.sum() < _NOTHING * len(place):
        return None
    program = ClassProgram(np.where(free, rows, 0))
    program.add(classes, losses)
    members, steps, share = near, 0, _FIRST_SHARE
    for number in range(_ROUNDS):
        program.add(place[members].tolist(), _losses(distance, members) / (k * scale))
        budget.report("prices of classes", number / _ROUNDS)
        found = program.solve(budget)
        proven = int(best @ rows) / scale
        if found is None or found.value - proven <= max(_CLOSE * proven, _WORTHWHILE * (losses.sum() - found.value)):
            break
        price = np.where(free, best + np.floor((found.price * scale - best) * share).astype(np.int64), 0)
        gain, violated, taken = priced_above_loss(distance, price[place], first, k, _STEPS)
        steps += taken
        ended = bool((gain >= 0).all())
        price -= -(-gain // k)
        if ended and price @ rows > best @ rows:
            best = price
        share = share if ended else share / 2
        members = violated[gain > 0].astype(np.int64)
        if (ended and not len(members)) or steps >= _MOST_STEPS or program.steps * len(rows) >= _SIMPLEX or budget.over():
            break
    return Prices(price=best, scale=scale)


def _classes(x: NDArray[np.float64], release: SummaryPartition) -> tuple[list[list[int]], NDArray[np.float64]]:
    """Return the row types of the rows of each class of a release, and its sum of squares."""
    order = np.argsort(release.number, kind="stable")
    row_type = np.repeat(release.row_type[order], release.count[order])
    number = np.repeat(release.number[order], release.count[order])
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    size = np.diff(first, append=len(number))
    squares = (x[row_type] ** 2).sum(axis=1) - (np.add.reduceat(x[row_type], first) / size[:, None])[number] ** 2 @ np.ones(
        x.shape[1]
    )
    return [each.tolist() for each in np.split(row_type, first[1:])], np.maximum(0.0, np.add.reduceat(squares, first))


def _distances(x: NDArray[np.float64], k: int) -> tuple[Int64, int]:
    """Return square distances of rows, int64 [n, n], rounded down, and their units of what two cells lose."""
    square = np.zeros((len(x), len(x)))
    for column in x.T:
        square += (column[:, None] - column) ** 2
    scale = _SCALE
    while scale > 1 and float(square.max()) * scale * 8 * k**3 > _LARGEST:
        scale //= 2
    return np.maximum(0, np.floor(square * (scale * (1 - _ROUNDING))).astype(np.int64) - 2), scale


def _losses(distance: Int64, member: Int64) -> NDArray[np.float64]:
    """Return the square distances of all pairs of each class, together."""
    pairs = distance[member[:, :, None], member[:, None, :]]
    found: NDArray[np.float64] = pairs.sum(axis=(1, 2)) / 2
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """An optimum of the program."""

    price: NDArray[np.float64]  # [t]: the dual values
    value: float  # what it costs


class ClassProgram:
    """A program that grows, solved by the simplex method of GLOP, which goes on from where it stood.

    Parameters
    ----------
    rows : int64 array [t]
        Rows of each row type; those of 0 rows need no class and have price 0. Some have more.
    """

    def __init__(self, rows: Int64) -> None:
        from kanon_sql.solvers.or_tools import mathopt

        self._known: set[tuple[int, ...]] = set()
        self._unit = 0.0
        self._model = mathopt.Model()
        held = np.flatnonzero(rows).tolist()
        self._once = {place: self._model.add_linear_constraint(lb=int(rows[place]), ub=int(rows[place])) for place in held}
        self._size = len(rows)
        nothing = mathopt.VariableFilter(filtered_items=())
        filters = mathopt.ModelSolveParameters(variable_values_filter=nothing, reduced_costs_filter=nothing)
        self._simplex = Simplex(self._model, filters)

    def add(self, classes: list[list[int]], cost: NDArray[np.float64]) -> None:
        """Add classes, of each the row types of its rows, and their costs; of the first ones some cost is above 0."""
        if not self._unit:
            self._unit = float(cost.max())
            for constraint in self._once.values():
                missing = self._model.add_variable(lb=0.0)
                self._model.objective.set_linear_coefficient(missing, _PENALTY)
                constraint.set_coefficient(missing, 1.0)
        for places, price in zip(classes, cost.tolist(), strict=True):
            key = tuple(sorted(places))
            if key in self._known:
                continue
            self._known.add(key)
            share = self._model.add_variable(lb=0.0)
            self._model.objective.set_linear_coefficient(share, price / self._unit)
            for place, count in Counter(places).items():
                if place in self._once:
                    self._once[place].set_coefficient(share, float(count))

    @property
    def steps(self) -> int:
        """Return the steps of the simplex method so far."""
        return self._simplex.steps

    def solve(self, budget: Budget) -> Optimum | None:
        """Return an optimum; None when the time is up before one is found, or the numbers defeat the method."""
        result = self._simplex.solve(budget, dual=False)  # new classes leave the shares feasible
        if result is None:
            return None
        price = np.zeros(self._size)
        price[list(self._once)] = result.dual_values(list(self._once.values()))
        return Optimum(price=price * self._unit, value=result.objective_value() * self._unit)
