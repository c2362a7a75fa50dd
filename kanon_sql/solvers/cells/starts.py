"""Several first tables: the relaxed suppression guides moves more or less, and the primary rows come in different orders."""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.greedy import protect
from kanon_sql.solvers.cells.state import State
from kanon_sql.solvers.integer_programs.model import Floats

_STRENGTHS = (0.5, 0.75, 1.0)
"""How much the relaxed suppression counts, by turns."""

_STARTS, _WORK, _MOST = 24, 4_000, 500
"""Tables and witnesses of all of them, at most, and witnesses of a table that is begun again, at most."""

_NOISE = 4
"""Weights are perturbed by at most so many parts of 1 where the rows come in a random order."""


def start_again(state: State, share: Floats, lower_bound: int, budget: Budget) -> None:
    """Begin several times and keep the cheapest table; a large one is not begun again.

    Parameters
    ----------
    state : State
        A table whose primary rows have witnesses.
    share : float64 array [r]
        To what share each row is suppressed in the cheapest relaxed suppression.
    lower_bound : int
        What is known.
    """
    random = np.random.default_rng(budget.seed)
    best, cost = state.snapshot(), state.cost
    witnesses = len(state.measure)
    starts = min(_STARTS, _WORK // max(1, witnesses)) if witnesses <= _MOST else 0
    for start in range(starts):
        if cost <= lower_bound or budget.over():
            break
        budget.report("starts", start / starts, cost, lower_bound)
        state.clear()
        state.guide(share, _STRENGTHS[start % len(_STRENGTHS)])
        order = None
        if start >= len(_STRENGTHS):
            state.price(state.weight + random.integers(_NOISE + 1, size=state.table.rows))
            order = random.permutation(witnesses)
        try:
            protect(state, budget.of_a_part(), order)
        except InfeasibleError:
            break  # an integer program took too long: there is a table already
        if state.cost < cost:
            best, cost = state.snapshot(), state.cost
    state.take(best)
