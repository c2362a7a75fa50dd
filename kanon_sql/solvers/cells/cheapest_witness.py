"""The cheapest witness of a primary row, by linear and integer programs: for rows of which no move finds one.

A witness costs what the rows cost that it changes and that are not suppressed yet. The linear program charges a row for each
person that it changes by, so its optimum changes few rows; if it is not in whole numbers, an integer program goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.attacker import Attacker
from kanon_sql.solvers.cells.goals import Goal, RowCells, opened
from kanon_sql.solvers.integer_programs.model import Floats
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_WHOLE = 1e-6
"""What a whole number may differ from one, in a solution of the linear program."""


class CheapestWitness:
    """The programs of one measure.

    Parameters
    ----------
    measure : int
        Which measure.
    members : RowCells
        The base cells of each row.
    """

    def __init__(self, table: CellTable, measure: int, members: RowCells) -> None:
        from kanon_sql.solvers.or_tools import mathopt

        system, value = table.measures[measure], table.values(measure)
        self._table, self._measure, self._members = table, measure, members
        lower = np.where(system.fixed == 0, np.maximum(system.floor, system.known) - system.value, 0).tolist()
        upper = np.where(system.fixed == 0, np.inf, 0.0).tolist()
        self._model: Any = mathopt.Model()
        cells = [self._model.add_variable(lb=low, ub=high) for low, high in zip(lower, upper, strict=True)]
        open_ = np.where(table.shown, 0.0, np.inf)
        lost = np.minimum(np.maximum(value - system.least, 0), open_)
        self._more = [self._model.add_variable(lb=0.0, ub=most) for most in open_.tolist()]
        self._less = [self._model.add_variable(lb=0.0, ub=most) for most in lost.tolist()]
        for row, (more, less) in enumerate(zip(self._more, self._less, strict=True)):
            own = mathopt.fast_sum([cells[cell] for cell in members.of(row).tolist()])
            self._model.add_linear_constraint(lb=0.0, ub=0.0, expr=own - more + less)
        self._cells = cells
        filters = mathopt.ModelSolveParameters(
            variable_values_filter=mathopt.VariableFilter(filtered_items=cells),
            dual_values_filter=mathopt.LinearConstraintFilter(filtered_items=[]),
            reduced_costs_filter=mathopt.VariableFilter(filtered_items=[]),
        )
        self._simplex = Simplex(self._model, filters)
        self._attacker: Attacker | None = None

    def find(self, goal: Goal, suppressed: Bools, weight: Int64, budget: Budget) -> Int64 | None:
        """Return by how much each base cell changes in each measure; None if there is no witness, or none is found in time."""
        price = np.where(suppressed, 0, weight).tolist()
        self._model.minimize(
            sum(each * (more + less) for each, more, less in zip(price, self._more, self._less, strict=True) if each)
        )
        cells, least = opened(self._table, self._members, goal, self._measure)
        value = self._table.measures[self._measure].value
        before = [(self._cells[cell], self._cells[cell].lower_bound, self._cells[cell].upper_bound) for cell in cells.tolist()]
        for (cell, _, _), low in zip(before, (least - value[cells]).tolist(), strict=True):
            cell.lower_bound, cell.upper_bound = float(low), np.inf
        amount = self._cheapest(goal, budget)
        for cell, low, high in before:
            cell.lower_bound, cell.upper_bound = low, high
        if amount is not None:
            change = np.round(amount).astype(np.int64)
            if np.abs(amount - change).max(initial=0.0) < _WHOLE:
                of_all = np.zeros((len(self._table.measures), len(change)), np.int64)
                of_all[self._measure] = change
                return of_all
            moved = np.zeros(self._table.rows)
            for column in self._table.ancestors.T:
                np.add.at(moved, column, amount)
            near = self._ask(goal, suppressed | ((np.abs(moved) > _WHOLE) & ~self._table.shown), budget)
            if near is not None:
                return near
        return self._ask(goal, ~self._table.shown, budget)

    def _cheapest(self, goal: Goal, budget: Budget) -> Floats | None:
        """Return the cheapest changes of the base cells, in fractions."""
        found = []
        more, less = self._more[goal.row], self._less[goal.row]
        for variable, other, need in ((more, less, goal.grows), (less, more, goal.falls)):
            if not need or variable.upper_bound < need:
                continue
            most, variable.lower_bound, other.upper_bound = other.upper_bound, float(need), 0.0
            result = self._simplex.solve(budget, dual=False)
            variable.lower_bound, other.upper_bound = 0.0, most
            if result is not None:
                values = result.variable_values()
                found.append((result.objective_value(), np.array([values[cell] for cell in self._cells])))
        return min(found, key=lambda each: each[0])[1] if found else None

    def within(self, goal: Goal, suppressed: Bools, budget: Budget) -> Int64 | None:
        """Return a witness that changes no other rows than some, by a linear program."""
        return self._ask(goal, suppressed, budget, whole=False)

    def _ask(self, goal: Goal, suppressed: Bools, budget: Budget, *, whole: bool = True) -> Int64 | None:
        """Return a witness that changes some rows, at whatever cost."""
        if self._attacker is None:
            self._attacker = Attacker(self._table, self._measure, self._members)
        return self._attacker.answer(goal, suppressed, budget, whole=whole).change
