"""What an attacker can prove of a primary row: by linear and integer programs, where moves find no witness.

References
----------
Fischetti and Salazar-Gonzalez: Solving the Cell Suppression Problem on Tabular Data with Linear Constraints (2001), for the
attacker's program and the cuts from its dual.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.cuts import Cuts, one_cut
from kanon_sql.solvers.cells.goals import Goal, RowCells, moved_by, opened
from kanon_sql.solvers.cells.search_space import own_rows
from kanon_sql.solvers.simplex import Simplex
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_EXACT = 1 << 40
"""Values below this are exact enough for the programs; greater ones are left to the moves."""

_DENOMINATORS = (12, 64)
"""Prices are fractions with such denominators, at most: small ones first."""

_NEAR = 3
"""Times what a row needs that cells move by at most, in the first integer program."""

_STEPS = 0.2
"""Deterministic seconds of an integer program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A witness, or a cut that every suppression satisfies and this one does not, or neither."""

    change: Int64 | None = None  # [measures, b]: by how much each base cell changes in each measure
    cut: Cuts | None = None  # one cut


@dataclass(frozen=True, slots=True)
class _Side:
    """What a witness has to reach: a row with so many more, or with so many less where the sign is -1."""

    row: int
    sign: int
    need: int


class Attacker:
    """The linear program of an attacker on one measure.

    Parameters
    ----------
    measure : int
        Which measure.
    members : RowCells
        The base cells of each row.

    Attributes
    ----------
    effort : float
        Deterministic seconds of all integer programs so far.
    """

    def __init__(self, table: CellTable, measure: int, members: RowCells) -> None:
        from kanon_sql.solvers.or_tools import mathopt

        system = table.measures[measure]
        self._table, self._value = table, table.values(measure)
        self._base, self._floor, self._measure = system.value, system.floor, measure
        self._row_cells = members
        self._moves, self._known = system.fixed == 0, system.known
        self._capacity = np.maximum(self._value - system.least, 0)
        self._own = own_rows(table)
        self._free = table.primary | table.suppressed
        self.exact = bool(self._base.sum() < _EXACT and system.required.max(initial=0) < _EXACT)
        self._members = [members.of(row).tolist() for row in range(table.rows)]
        self._model: Any = mathopt.Model()
        upper = np.where(self._moves, np.inf, 0.0).tolist()
        lower = np.where(self._moves, (self._known - self._base).astype(np.float64), 0.0).tolist()
        self._cells = [self._model.add_variable(lb=low, ub=high) for low, high in zip(lower, upper, strict=True)]
        self._rows = [
            self._model.add_linear_constraint(lb=0.0, ub=0.0, expr=mathopt.fast_sum([self._cells[cell] for cell in members]))
            for members in self._members
        ]
        self._shown, self.effort = np.ones(table.rows, np.bool_), 0.0
        filters = mathopt.ModelSolveParameters(
            variable_values_filter=mathopt.VariableFilter(skip_zero_values=True),
            dual_values_filter=mathopt.LinearConstraintFilter(skip_zero_values=True),
            reduced_costs_filter=mathopt.VariableFilter(filtered_items=[]),
        )
        self._simplex = Simplex(self._model, filters)

    def answer(self, goal: Goal, suppressed: Bools, budget: Budget, *, whole: bool) -> Answer:
        """Return what can be said of a primary row when these rows are suppressed.

        Where a linear program says nothing, an integer program does if ``whole``.
        """
        if not self.exact:
            return Answer()
        for other in np.flatnonzero(self._shown == suppressed).tolist():
            self._bound(other, shown=not suppressed[other])
        sides = [_Side(goal.row, sign, need) for sign, need in ((1, goal.grows), (-1, goal.falls)) if need]
        before = self._moves, self._known
        cells = opened(self._table, self._row_cells, goal, self._measure)[0].tolist()
        self._moves, self._known = moved_by(self._table, self._row_cells, goal, self._measure)
        self._limit(cells)
        answer = self._of_sides(goal, sides, suppressed, budget, whole=whole)
        self._moves, self._known = before
        self._limit(cells)
        return answer

    def _of_sides(self, goal: Goal, sides: list[_Side], suppressed: Bools, budget: Budget, *, whole: bool) -> Answer:
        """Return a witness of one side, or a cut that says that neither has one."""
        cuts = []
        for side in sides:
            answer = self._answer(goal, side, suppressed, budget, whole=whole)
            if answer.change is not None:
                return answer
            cuts.append(answer.cut)
        known = [cut for cut in cuts if cut is not None]
        return Answer(cut=reduce(_either, known) if len(known) == len(cuts) else None)

    def _limit(self, cells: list[int]) -> None:
        """Let base cells move in the program as the present goal does."""
        for cell in cells:
            moves = self._moves[cell]
            self._cells[cell].lower_bound = float(self._known[cell] - self._base[cell]) if moves else 0.0
            self._cells[cell].upper_bound = float("inf") if moves else 0.0

    def _answer(self, goal: Goal, side: _Side, suppressed: Bools, budget: Budget, *, whole: bool) -> Answer:
        from kanon_sql.solvers.or_tools import mathopt

        row, need = side.row, side.need
        if side.sign > 0:
            self._rows[row].upper_bound = float(need)
        self._model.maximize(side.sign * mathopt.fast_sum([self._cells[cell] for cell in self._members[row]]))
        result = self._simplex.solve(budget, dual=False)
        self._rows[row].upper_bound = float("inf")
        if result is None:
            return Answer()
        if result.objective_value() < need - 0.5:
            price = {constraint.id: dual for constraint, dual in result.dual_values().items()}
            cut = self._cut(side, suppressed, price)
            if cut is not None:
                return Answer(cut=cut)
        else:
            change = np.zeros(self._table.base_cells, np.int64)
            for variable, amount in result.variable_values().items():
                change[variable.id] = round(amount)
            if self._holds(side, suppressed, change):
                return Answer(change=self._of_all(change))
        if not whole:
            return Answer()
        # A witness seldom moves more than some times what the row needs, and is found soon among those that do not.
        near = self._integer(goal, side, suppressed, _NEAR * need, budget)
        return near if near.change is not None else self._integer(goal, side, suppressed, int(self._base.sum()) + need, budget)

    def _bound(self, row: int, *, shown: bool) -> None:
        """Show or suppress a row in the program."""
        self._rows[row].lower_bound = 0.0 if shown else -float(self._capacity[row])
        self._rows[row].upper_bound = 0.0 if shown else float("inf")
        self._shown[row] = shown

    def _holds(self, side: _Side, suppressed: Bools, change: Int64) -> bool:
        """Return whether a change is a witness, in whole numbers."""
        moved = np.zeros(self._table.rows, np.int64)
        for column in self._table.ancestors.T:
            np.add.at(moved, column, change)
        legal = (moved == 0) | (suppressed & (moved >= -self._capacity))
        cells = (change == 0) | (self._moves & (change >= np.maximum(self._floor, self._known) - self._base))
        return bool(legal.all() and cells.all() and side.sign * moved[side.row] >= side.need)

    def _cut(self, side: _Side, suppressed: Bools, dual: dict[int, float]) -> Cuts | None:
        """Return a cut that prices of rows prove, in whole numbers: with less, the row cannot have what it requires."""
        for most in _DENOMINATORS:
            fractions = {own: Fraction(each).limit_denominator(most) for own, each in dual.items() if own != side.row}
            unit = lcm(*(each.denominator for each in fractions.values()))
            price = {own: int(each * unit) for own, each in fractions.items() if each}
            gain = dict.fromkeys(self._members[side.row], side.sign * unit)
            for own, each in price.items():
                for cell in self._members[own]:
                    gain[cell] = gain.get(cell, 0) - each
            moved = [(cell, each) for cell, each in gain.items() if each and self._moves[cell]]
            free = {own for own in price if self._free[own]}
            if any(each > 0 for _, each in moved) or any(price[own] > 0 for own in free):
                continue
            left = unit * side.need + sum(each * int(self._base[cell] - self._known[cell]) for cell, each in moved)
            left += sum(price[own] * int(self._capacity[own]) for own in free)
            weight = {own: left if each > 0 else min(left, -each * int(self._capacity[own])) for own, each in price.items()}
            weight = {own: each for own, each in weight.items() if own not in free and each > 0 and not self._table.shown[own]}
            if sum(each for own, each in weight.items() if suppressed[own]) < left:
                return one_cut(left, weight)
        return None

    def _of_all(self, change: Int64) -> Int64:
        """Return the changes of all measures if no other one changes."""
        found = np.zeros((len(self._table.measures), len(change)), np.int64)
        found[self._measure] = change
        return found

    def _integer(self, goal: Goal, side: _Side, suppressed: Bools, most: int, budget: Budget) -> Answer:
        """Return a witness in whole numbers that moves no cell by more, or a core, from an integer program."""
        from kanon_sql.solvers.or_tools import cp_model

        model: Any = cp_model.CpModel()
        table = self._table
        movable = self._moves & ((self._own < 0) | suppressed[self._own] | ~table.shown[self._own])
        places = np.flatnonzero(movable).tolist()
        loss = np.minimum(self._base - self._known, most).tolist()
        cells = {self._measure: {cell: model.new_int_var(-loss[cell], most, "") for cell in places}}
        if self._floor.any():
            cells |= self._sums(model, goal, cells[self._measure])
        literals = {own: model.new_bool_var("") for own in np.flatnonzero(~suppressed & ~table.shown).tolist()}
        literals.pop(side.row, None)
        given = {literal.index: own for own, literal in literals.items()}
        model.add_assumptions(literals.values())
        for measure, moves in cells.items():
            capacity = self._capacity if measure == self._measure else table.values(measure)
            for own, members in enumerate(self._members):
                total = sum(moves[cell] for cell in members if cell in moves)
                if own == side.row and measure == self._measure:
                    model.add(side.sign * total >= side.need)
                elif suppressed[own] or own == side.row:
                    model.add(total >= -int(capacity[own]))
                elif table.shown[own]:
                    model.add(total == 0)
                else:
                    model.add(total == 0).only_enforce_if(literals[own])
        solver: Any = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = _STEPS
        if budget.seconds is not None:
            solver.parameters.max_time_in_seconds = max(budget.left(), 0.01)
        status = solver.solve(model)
        self.effort += solver.response_proto.deterministic_time
        if status == cp_model.INFEASIBLE:
            core = [given[index] for index in solver.sufficient_assumptions_for_infeasibility() if index in given]
            return Answer(cut=one_cut(1, dict.fromkeys(core, 1)))
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer()
        found = np.zeros((len(table.measures), table.base_cells), np.int64)
        for measure, moves in cells.items():
            for cell, variable in moves.items():
                found[measure, cell] = solver.value(variable)
        return Answer(change=found)

    def _sums(self, model: Any, goal: Goal, people: dict[int, Any]) -> dict[int, dict[int, Any]]:
        """Return the changes of sums where counts change: a cell that is empty in a witness has no sum."""
        found = {}
        somebody = {cell: model.new_bool_var("") for cell in people}
        for cell, moved in people.items():
            model.add(moved >= 1 - int(self._base[cell])).only_enforce_if(somebody[cell])
        for number, measure in enumerate(self._table.measures):
            if number == self._measure:
                continue
            most = int(measure.value.sum())
            known = moved_by(self._table, self._row_cells, goal, number)[1]
            loss = (measure.value - known).tolist()
            found[number] = {cell: model.new_int_var(-loss[cell], most, "") for cell in people}
            for cell, moved in found[number].items():
                model.add(moved == -int(measure.value[cell])).only_enforce_if(~somebody[cell])
        return found


def _either(one: Cuts, other: Cuts) -> Cuts:
    """Return a cut that holds where one of two holds: each divided by its right-hand side, and added."""
    first, second = int(one.left[0]), int(other.left[0])
    weight = dict[int, int]()
    for cut, times in ((one, second), (other, first)):
        for row, each in zip(cut.variable.tolist(), cut.coefficient.tolist(), strict=True):
            weight[row] = weight.get(row, 0) + times * each
    left = first * second
    if left >= _EXACT:
        return one_cut(1, dict.fromkeys(weight, 1))
    return one_cut(left, {row: min(each, left) for row, each in weight.items()})
