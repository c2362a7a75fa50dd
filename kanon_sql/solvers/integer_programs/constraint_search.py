"""A constraint program is solved by CP-SAT of OR-Tools: it obeys the budget and reports its progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from kanon_sql.solvers.budget import Budget

if TYPE_CHECKING:
    from kanon_sql.solvers.or_tools import cp_model

_TURN = 0.1
"""Seconds between two checks of the budget."""


def searched(
    model: cp_model.CpModel,
    budget: Budget,
    report: Callable[[], None],
    *,
    work: float = math.inf,
    workers: int = 8,
    relaxation: int = 1,
) -> tuple[cp_model.CpSolver, Any]:
    """Search until the end, or until the budget is used up; return the solver with the best answer, and its status.

    Parameters
    ----------
    report : callable
        Called ten times a second; may raise to stop the work.
    work : float
        Most work of a search without a time limit, in the solver's own units of about a second.
    workers : int
        Searches that take turns: a fixed number of them finds the same on any number of cores.
    relaxation : int
        How much of the program its linear relaxation has, 0 to 2.
    """
    from kanon_sql.solvers.or_tools import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.random_seed = budget.seed % (1 << 31)
    solver.parameters.interleave_search = workers > 1
    solver.parameters.num_workers = workers
    solver.parameters.linearization_level = relaxation
    if budget.seconds is not None:
        solver.parameters.max_time_in_seconds = max(budget.left(), 0.01)
    elif work < math.inf:
        solver.parameters.max_deterministic_time = work
    with ThreadPoolExecutor(1) as executor:
        search = executor.submit(solver.solve, model)
        try:
            while not wait([search], timeout=_TURN).done:
                report()
                if budget.over():
                    solver.stop_search()
        finally:
            solver.stop_search()
    return solver, search.result()
