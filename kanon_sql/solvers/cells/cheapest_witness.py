"""The cheapest witness of a primary row, by linear and integer programs: for rows of which no move finds one.

A witness costs what the rows cost that it changes and that are not suppressed yet. The linear program charges a row for each
person that it changes by, so its optimum changes few rows; if it is not in whole numbers, an integer program goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.attacker import Attacker
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_WHOLE = 1e-6
"""What a whole number may differ from one, in a solution of the linear program."""


class CheapestWitness:
    """The programs of one measure.

    Parameters
    ----------
    table : CellTable
        The published system.
    measure : int
        Which measure.
    with_fixed : bool
        Whether base cells move that a contributor knows.
    """

    def __init__(self, table: CellTable, measure: int, *, with_fixed: bool) -> None:
        from kanon_sql.solvers.or_tools import mathopt

        system, value = table.measures[measure], table.values(measure)
        self._table, self._measure, self._with_fixed = table, measure, with_fixed
        self._value, self._need, self._or_none = value, system.required - value, system.or_none
        moves = system.fixed <= with_fixed
        lower = np.where(moves, (system.floor - system.value).astype(np.float64), 0.0)
        upper = np.where(moves, np.inf, 0.0)
        self._model: Any = mathopt.Model()
        cells = [self._model.add_variable(lb=low, ub=high) for low, high in zip(lower.tolist(), upper.tolist(), strict=True)]
        open_ = np.where(table.shown, 0.0, np.inf)
        lost = np.minimum(np.maximum(value - system.least, 0), open_)
        self._more = [self._model.add_variable(lb=0.0, ub=most) for most in open_.tolist()]
        self._less = [self._model.add_variable(lb=0.0, ub=most) for most in lost.tolist()]
        members: list[list[Any]] = [[] for _ in range(table.rows)]
        for column in table.ancestors.T:
            for cell, row in enumerate(column.tolist()):
                members[row].append(cells[cell])
        for own, more, less in zip(members, self._more, self._less, strict=True):
            self._model.add_linear_constraint(lb=0.0, ub=0.0, expr=mathopt.fast_sum(own) - more + less)
        self._cells = cells
        asked = mathopt.ModelSolveParameters(
            variable_values_filter=mathopt.VariableFilter(filtered_items=cells),
            dual_values_filter=mathopt.LinearConstraintFilter(filtered_items=[]),
            reduced_costs_filter=mathopt.VariableFilter(filtered_items=[]),
        )
        self._simplex = Simplex(self._model, asked)
        self._attacker: Attacker | None = None

    def find(self, row: int, suppressed: Bools, weight: Int64, budget: Budget) -> Int64 | None:
        """Return by how much each base cell changes in each measure; None if there is no witness, or none is found in time."""
        price = np.where(suppressed, 0, weight).tolist()
        self._model.minimize(
            sum(each * (more + less) for each, more, less in zip(price, self._more, self._less, strict=True) if each)
        )
        found = []
        more, less = self._more[row], self._less[row]
        goals = [(more, less, int(self._need[row]))]
        if self._or_none[row]:
            goals.append((less, more, int(self._value[row])))
        for variable, other, need in goals:
            if variable.upper_bound < need:
                continue
            most, variable.lower_bound, other.upper_bound = other.upper_bound, float(need), 0.0
            result = self._simplex.solve(budget, dual=False)
            variable.lower_bound, other.upper_bound = 0.0, most
            if result is None:
                continue
            values = result.variable_values()
            found.append((result.objective_value(), np.array([values[cell] for cell in self._cells])))
        if found:
            _, amount = min(found, key=lambda each: each[0])
            change = np.round(amount).astype(np.int64)
            if np.abs(amount - change).max(initial=0.0) < _WHOLE:
                of_all = np.zeros((len(self._table.measures), len(change)), np.int64)
                of_all[self._measure] = change
                return of_all
            moved = np.zeros(self._table.rows)
            for column in self._table.ancestors.T:
                np.add.at(moved, column, amount)
            near = self._ask(row, suppressed | ((np.abs(moved) > _WHOLE) & ~self._table.shown), budget)
            if near is not None:
                return near
        return self._ask(row, ~self._table.shown, budget)

    def within(self, row: int, suppressed: Bools, budget: Budget) -> Int64 | None:
        """Return a witness that changes no other rows than some, by a linear program."""
        return self._ask(row, suppressed, budget, whole=False)

    def _ask(self, row: int, suppressed: Bools, budget: Budget, *, whole: bool = True) -> Int64 | None:
        """Return a witness that changes some rows, at whatever cost."""
        if self._attacker is None:
            self._attacker = Attacker(self._table, self._measure, with_fixed=self._with_fixed)
        return self._attacker.answer(row, suppressed, budget, whole=whole).change
