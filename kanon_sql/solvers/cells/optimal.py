"""Exact: the cheapest rows that satisfy all cuts so far are suppressed, and the attacker names new cuts, until there are none.

A cut is what every suppression satisfies, and one that does not disclose a primary row violates none. So the cheapest rows that
satisfy some of them are a lower bound, and the optimum once the attacker finds no other.

References
----------
Fischetti and Salazar-Gonzalez: Solving the Cell Suppression Problem on Tabular Data with Linear Constraints (2001).
Moreno-Centeno and Karp: The Implicit Hitting Set Approach to Solve Combinatorial Optimization Problems (2013).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.attacker import Answer, Attacker
from kanon_sql.solvers.cells.cuts import Cuts
from kanon_sql.solvers.cells.greedy import publish
from kanon_sql.solvers.cells.hitting_set import HittingSet
from kanon_sql.solvers.cells.plane_cuts import PlaneCuts
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.cell_table import Bools

EFFORT, QUESTIONS = 2.0, 1_000
"""Deterministic seconds of the integer programs, and questions to the attacker, at most, unless the algorithm is requested."""


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
