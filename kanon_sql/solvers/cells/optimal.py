"""Exact: the cheapest rows that hit all cores so far are suppressed, and the attacker names new cores, until there are none.

A core is a set of rows that disclose a primary row as long as all of them are shown, whatever else is suppressed. So a
suppression protects if and only if it hits every core, and the cheapest that hits some of them is a lower bound.

References
----------
Moreno-Centeno and Karp: The Implicit Hitting Set Approach to Solve Combinatorial Optimization Problems (2013).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.attacker import Answer, Attacker
from kanon_sql.solvers.cells.greedy import publish
from kanon_sql.solvers.cells.hitting_set import HittingSet
from kanon_sql.solvers.cells.line_cuts import line_cuts
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools

EFFORT, FEW_QUESTIONS, QUESTIONS = 4.0, 200, 2_000
"""Deterministic seconds of the integer programs, and questions to the attacker before and after the search by moves, at most,
where the algorithm is not asked for."""


class Optimal:
    """A search that ends with the cheapest suppression, or with a lower bound.

    Parameters
    ----------
    state : State
        A table whose primary rows have witnesses.
    effort : float
        Deterministic seconds of the integer programs, at most.
    """

    def __init__(self, state: State, effort: float) -> None:
        self._state, self._questions = state, 0.0
        self._program = HittingSet(state.table, line_cuts(state.table), effort)
        self._attackers: dict[tuple[int, bool], Attacker] = {}

    def run(self, lower_bound: int, budget: Budget, questions: float) -> int:
        """Improve the table until nothing is cheaper, or the effort or the questions are spent; return a lower bound.

        Parameters
        ----------
        lower_bound : int
            What is known.
        budget : Budget
            Time left.
        questions : float
            Questions to the attacker, at most.
        """
        state, self._questions = self._state, questions
        kept, cost = state.snapshot(), state.cost
        while max(lower_bound, self._program.lower_bound) < cost and self._questions > 0 and not budget.over():
            budget.report("exact", 0.0, cost, min(cost, max(lower_bound, self._program.lower_bound)))
            chosen = self._program.cheapest(kept[0] == SECONDARY, budget)
            if chosen is None or self._program.lower_bound >= cost:
                break
            if not self._separate(chosen, budget):
                break
            # All primary rows have witnesses, since the rows of the new cores are suppressed, too.
            publish(state, np.flatnonzero(state.pattern == SECONDARY))
            if state.cost < cost:
                kept, cost = state.snapshot(), state.cost
        state.take(kept)
        return min(cost, self._program.lower_bound)

    def _separate(self, chosen: Bools, budget: Budget) -> bool:
        """Suppress some rows and the cores that they miss; return whether there were any, or all primary rows are protected."""
        state, cores, unknown = self._state, 0, 0
        state.clear()
        state.pattern[chosen] = SECONDARY
        for witness in range(len(state.measure)):
            while state.find(witness, free=True) is None:
                answer = self._ask(witness, state.suppressed, budget, whole=True)
                if answer.change is not None:
                    state.put(witness, answer.change)
                    break
                if self._questions < 0 or budget.over():
                    return False
                if answer.core is None:
                    unknown += 1
                    if state.find(witness, free=False) is None:
                        return False
                    break
                core = self._smaller(witness, answer.core, budget)
                self._program.hit(core)
                state.pattern[core] = SECONDARY
                cores += 1
        return cores > 0 or unknown == 0

    def _ask(self, witness: int, suppressed: Bools, budget: Budget, *, whole: bool) -> Answer:
        """Ask the attacker about a primary row."""
        state = self._state
        about = int(state.measure[witness]), bool(state.with_fixed[witness])
        if about not in self._attackers:
            self._attackers[about] = Attacker(state.table, about[0], with_fixed=about[1])
        self._questions -= 1
        return self._attackers[about].answer(int(state.store.row[witness]), suppressed, budget, whole=whole)

    def _smaller(self, witness: int, core: Int64, budget: Budget) -> Int64:
        """Return a core within a core, from which no row can be left out."""
        for row in core.tolist():
            if row in core and len(core) > 1:
                suppressed = ~self._state.table.shown
                suppressed[core[core != row]] = False
                less = self._ask(witness, suppressed, budget, whole=False).core
                core = core if less is None else less
        return core
