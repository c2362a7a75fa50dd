"""Exact: the cheapest rows that satisfy all cuts so far are suppressed, and the attacker names new cuts, until there are none.

A cut is what every suppression satisfies, and one that does not disclose a primary row violates none. So the cheapest rows that
satisfy some of them are a lower bound, and the optimum once the attacker finds no other.

References
----------
Fischetti and Salazar-Gonzalez: Solving the Cell Suppression Problem on Tabular Data with Linear Constraints (2001).
Moreno-Centeno and Karp: The Implicit Hitting Set Approach to Solve Combinatorial Optimization Problems (2013).
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.attacker import Answer, Attacker
from kanon_sql.solvers.cells.cuts import Cuts
from kanon_sql.solvers.cells.greedy import publish
from kanon_sql.solvers.cells.plane_cuts import PlaneCuts
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.cell_table import Bools, CellTable

EFFORT, QUESTIONS = 2.0, 1_000
"""Deterministic seconds of the integer programs, and questions to the attacker, at most, unless the algorithm is requested."""

_LARGEST = 1 << 40
"""Cuts with different coefficients, and a right-hand side above this, are left out."""


class Optimal:
    """A search that ends with the cheapest suppression, or with a lower bound.

    Parameters
    ----------
    state : State
        A table whose primary rows have witnesses.
    cuts : Cuts
        What is known of every suppression.
    effort, questions : float
        Deterministic seconds of the integer programs, and questions to the attacker, at most.
    """

    def __init__(self, state: State, cuts: Cuts, effort: float, questions: float) -> None:
        self._state, self._questions = state, questions
        self._program = HittingSet(state.table, cuts, effort)
        self._planes = PlaneCuts(state.table)
        self._attackers: dict[int, Attacker] = {}

    def run(self, lower_bound: int, budget: Budget) -> int:
        """Improve the table until nothing is cheaper, or the effort or the questions are spent; return a lower bound.

        Parameters
        ----------
        lower_bound : int
            What is known.
        """
        state = self._state
        kept, cost = state.snapshot(), state.cost
        while max(lower_bound, self._program.lower_bound) < cost and self._questions > 0 and not budget.over():
            budget.report("exact", 0.0, cost, min(cost, max(lower_bound, self._program.lower_bound)))
            chosen = self._program.cheapest(kept[0] == SECONDARY, budget)
            if chosen is None or self._program.lower_bound >= cost:
                break
            cuts, missing = self._separate(chosen, budget)
            if not missing:
                publish(state, np.flatnonzero(state.pattern == SECONDARY))
                if state.cost < cost:
                    kept, cost = state.snapshot(), state.cost
            if not cuts:
                break
        state.take(kept)
        return min(cost, self._program.lower_bound)

    def _separate(self, chosen: Bools, budget: Budget) -> tuple[int, int]:
        """Suppress some rows and whatever else it takes; return how many cuts were found, and how many witnesses were not."""
        state, open_ = self._state, list[int]()
        state.clear()
        state.pattern[chosen] = SECONDARY
        cuts = self._planes.separate(chosen.astype(np.float64), budget).cuts
        self._program.add(cuts)
        found = len(cuts.left)
        for witness in range(len(state.measure)):
            if state.find(witness, free=True) is not None:
                continue
            answer = self._ask(witness, budget)
            if answer.change is not None:
                state.put(witness, answer.change)
                continue
            if answer.cut is not None:
                self._program.add(answer.cut)
                found += 1
            open_.append(witness)
        missing = sum(state.find(each, free=True) is None and state.find(each, free=False) is None for each in open_)
        return found, missing

    def _ask(self, witness: int, budget: Budget) -> Answer:
        """Ask the attacker about a primary row."""
        state = self._state
        goal = state.goals.goal(witness)
        if goal.measure not in self._attackers:
            self._attackers[goal.measure] = Attacker(state.table, goal.measure, state.members)
        attacker, self._questions = self._attackers[goal.measure], self._questions - 1
        before = attacker.effort
        answer = attacker.answer(goal, state.suppressed, budget, whole=self._program.left > 0)
        self._program.left -= attacker.effort - before
        return answer


class HittingSet:
    """An integer program of all suppressions, that grows by cuts.

    Parameters
    ----------
    cuts : Cuts
        Those that are known.
    effort : float
        Deterministic seconds of all programs together.

    Attributes
    ----------
    left : float
        What is left of them.
    lower_bound : int
        What every suppression costs at least.
    """

    def __init__(self, table: CellTable, cuts: Cuts, effort: float) -> None:
        from kanon_sql.solvers.or_tools import cp_model

        self._model: Any = cp_model.CpModel()
        rows = np.flatnonzero(~table.primary & ~table.suppressed & ~table.shown)
        self._chosen = {int(row): self._model.new_bool_var("") for row in rows}
        self._rows = table.rows
        self._cost: Any = sum(int(table.cost[row]) * chosen for row, chosen in self._chosen.items())
        self._model.minimize(self._cost)
        self.left = effort
        self.lower_bound = 0
        self.add(cuts)

    def add(self, cuts: Cuts) -> None:
        """Require more cuts."""
        order = np.argsort(cuts.cut, kind="stable")
        first = np.searchsorted(cuts.cut[order], np.arange(len(cuts.left) + 1))
        for number, left in enumerate(cuts.left.tolist()):
            entries = order[first[number] : first[number + 1]]
            rows = [self._chosen[row] for row in cuts.variable[entries].tolist()]
            weights = cuts.coefficient[entries].tolist()
            if all(weight == left for weight in weights):
                self._model.add_bool_or(rows)
            elif left <= _LARGEST:
                self._model.add(sum(weight * row for weight, row in zip(weights, rows, strict=True)) >= left)

    def cheapest(self, hint: Bools, budget: Budget) -> Bools | None:
        """Return the cheapest rows; None when the time is up. The lower bound grows either way.

        Notes
        -----
        Exponential in the worst case. One thread, so that the answer does not depend on their number.
        """
        from kanon_sql.solvers.or_tools import cp_model

        if not self._chosen:
            return np.zeros(self._rows, np.bool_)
        if self.left <= 0:
            return None
        self._model.clear_hints()
        for row, chosen in self._chosen.items():
            self._model.add_hint(chosen, bool(hint[row]))
        solver: Any = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2
        solver.parameters.cp_model_probing_level = 0  # many small programs: probing takes a quarter of their time
        if self.left < inf:
            solver.parameters.max_deterministic_time = self.left
        if budget.seconds is not None:
            solver.parameters.max_time_in_seconds = max(budget.left(), 0.01)
        status = solver.solve(self._model)
        self.left -= solver.response_proto.deterministic_time
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self.lower_bound = max(self.lower_bound, int(np.ceil(solver.best_objective_bound - 1e-6)))
        if status != cp_model.OPTIMAL:
            return None
        found = np.zeros(self._rows, np.bool_)
        found[[row for row, chosen in self._chosen.items() if solver.value(chosen)]] = True
        return found
