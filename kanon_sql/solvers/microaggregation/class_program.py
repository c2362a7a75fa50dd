"""The linear program of classes of k rows: how often each is made, so that every row is in one.

::

    minimize    sum cost[g] x[g]
    subject to  sum_g |g and v| x[g] = rows[v]      for every row type v

Its dual values are prices: the prices of no class of the program exceed its cost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.table.arrays import Int64

_PENALTY = 4.0
"""What a row without a class costs, of the greatest cost of a class."""


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
