"""The linear program of a matching in pairs and triples; classes and odd-set cuts are added as they are found.

A class g of two or three rows is there x[g] times, and a row without a class costs a penalty::

    minimize    sum cost[g] x[g] + penalty sum left[v]
    subject to  sum_g |g and v| x[g] + left[v] = rows[v]            for every row type v
                sum { x[g] : |g and S| odd } >= 1                   for sets S of row types with an odd number of rows

An odd number of rows is not made up of classes that hold an even number of them each, so every cut is valid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.table.arrays import Int32, Int64

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """An optimum of the program."""

    share: Floats  # [g]: how often each class is there
    price: Floats  # [t]: the dual values of the row types
    cut_price: Floats  # [s]: the dual values of the cuts
    first: Int64  # [t + 1]: the cuts that row type v is in are ``cut[first[v] : first[v + 1]]``
    cut: Int32  # those cuts, ascending for each row type
    value: float  # what it costs


class OddSetProgram:
    """A program that grows, solved by the simplex method of GLOP, which goes on from where it stood.

    Parameters
    ----------
    rows : int64 array [t]
        Rows of each row type.
    penalty : float
        Cost of a row without a class.

    Attributes
    ----------
    member : int32 array [g, 3]
        The classes: two or three row types, -1 for the third of a pair.
    cuts : list of bool array [t]
        The sets of the cuts.
    """

    def __init__(self, rows: Int64, penalty: float) -> None:
        from kanon_sql.solvers.or_tools import mathopt

        self.member: Int32 = np.empty((0, 3), np.int32)
        self.cuts: list[NDArray[np.bool_]] = []
        self._known: set[tuple[int, ...]] = set()
        self._model = mathopt.Model()
        self._once = [self._model.add_linear_constraint(lb=count, ub=count) for count in rows.astype(np.float64).tolist()]
        self._left = [self._model.add_variable(lb=0.0) for _ in self._once]
        for variable, constraint in zip(self._left, self._once, strict=True):
            self._model.objective.set_linear_coefficient(variable, penalty)
            constraint.set_coefficient(variable, 1.0)
        self._share: list[mathopt.Variable] = []
        self._odd: list[mathopt.LinearConstraint] = []
        self._cuts_of: list[list[int]] = [[] for _ in self._once]
        self._classes_of: list[list[int]] = [[] for _ in self._once]
        self._only_cuts = False
        # Nearly all shares are 0; and values that are filtered need not be read.
        filters = mathopt.ModelSolveParameters(
            variable_values_filter=mathopt.VariableFilter(skip_zero_values=True),
            reduced_costs_filter=mathopt.VariableFilter(filtered_items=()),
        )
        self._simplex = Simplex(self._model, filters)

    def missing(self, member: Int32) -> Int32:
        """Return those of some classes that the program does not have."""
        return member[[tuple(rows) not in self._known for rows in member.tolist()]]

    def add(self, member: Int32, cost: Floats) -> None:
        """Add classes, int32 [g, 3], and their costs."""
        self._known.update(map(tuple, member.tolist()))
        for rows, price in zip(member.tolist(), cost.tolist(), strict=True):
            variable = self._model.add_variable(lb=0.0)
            self._model.objective.set_linear_coefficient(variable, price)
            self._share.append(variable)
            times = Counter(row for row in rows if row >= 0)
            for row, count in times.items():
                self._once[row].set_coefficient(variable, float(count))
                self._classes_of[row] += [len(self._share) - 1] * count
            for cut in _odd_ones(self._cuts_of[row] for row in times.elements()):
                self._odd[cut].set_coefficient(variable, 1.0)
        self.member = np.concatenate([self.member, member])
        self._only_cuts = False

    def cut(self, inside: NDArray[np.bool_]) -> None:
        """Add the cut of a set of row types, bool [t], of an odd number of rows."""
        constraint = self._model.add_linear_constraint(lb=1.0)
        rows = np.flatnonzero(inside).tolist()
        for place in _odd_ones(self._classes_of[row] for row in rows):
            constraint.set_coefficient(self._share[place], 1.0)
        for row in rows:
            constraint.set_coefficient(self._left[row], 1.0)
            self._cuts_of[row].append(len(self._odd))
        self._odd.append(constraint)
        self.cuts.append(inside)

    def solve(self, budget: Budget) -> Optimum | None:
        """Return an optimum; None when the time is up before one is found, or the numbers defeat the method."""
        # Cuts leave the prices feasible, so the dual method has a start; new classes leave the shares feasible.
        result = self._simplex.solve(budget, dual=self._only_cuts)
        if result is None:
            return None
        self._only_cuts = True
        share = np.zeros(len(self._left) + len(self._share))
        for variable, value in result.variable_values().items():
            share[variable.id] = value
        return Optimum(
            share=share[len(self._left) :],
            price=np.array(result.dual_values(self._once)),
            cut_price=np.array(result.dual_values(self._odd)),
            first=np.append(0, np.cumsum([len(cuts) for cuts in self._cuts_of])),
            cut=np.array([cut for cuts in self._cuts_of for cut in cuts], np.int32),
            value=result.objective_value(),
        )


def _odd_ones(numbers: Iterable[list[int]]) -> list[int]:
    """Return the numbers that occur an odd number of times in some lists."""
    return [number for number, count in Counter(chain.from_iterable(numbers)).items() if count % 2]


def odd_in(inside: NDArray[np.bool_], member: Int32) -> NDArray[np.bool_]:
    """Return whether a set of row types, bool [t], holds an odd number of rows of each class, bool [g]."""
    odd: NDArray[np.bool_] = np.append(inside, False)[member].sum(axis=1) % 2 == 1  # the row type -1 is in no set
    return odd
