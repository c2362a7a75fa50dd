"""The automatic choice: a first solver, then exact ones if the table is small or the problem takes polynomial time."""

from __future__ import annotations

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import UnplacedError
from kanon_sql.solvers.placing import placed
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problems import Exact, Masks, named
from kanon_sql.solvers.registry import Solver
from kanon_sql.table.recoding import Recoding


def solved(problems: Masks, problem: Problem, budget: Budget, solver: Solver) -> tuple[Recoding, Exact | None]:
    """Return a release, and the exact solver that found it or proved it, if one did.

    Parameters
    ----------
    problems, problem, budget : Masks, Problem, Budget
        As in `placed`.
    solver : Solver
        The first solver.

    Raises
    ------
    InfeasibleError
        If no release was found.

    Notes
    -----
    With a time limit, the first solver ends by its own count of steps. Exact ones follow, and the first one uses the time that
    is left. If a population is asked about, only the first solver runs.
    """
    seconds = budget.left()
    fitting = [] if problem.requirement.population else [each for each in problems.exact if each.fits(problem, seconds)]
    if not fitting:
        return placed(problems, problem, budget, solver), None
    start = next((each.start for each in fitting if each.begins(problem)), None)
    best = _start(start, problem, budget) if start else placed(problems, problem, budget.counted(), solver)
    by: Exact | None = None
    for exact in fitting:
        if best is not None and (best.optimal(problem.table) or budget.over()):
            break
        found = exact.close_gap(problem, best, budget)
        if best is None or found.optimal(problem.table) or found.cost(problem.table) < best.cost(problem.table):
            by = exact
        best = found
    searched = start is None and budget.seconds is None
    if best is None or not (searched or best.optimal(problem.table) or budget.over()):
        found = placed(problems, problem, budget, solver)
        if best is None or found.cost(problem.table) < best.cost(problem.table):
            by = None
        best = found if best is None else best.combined(found, problem.table)
    return best, by


def _start(place: str, problem: Problem, budget: Budget) -> Recoding | None:
    """Return a release to start from; None if one is not found at once."""
    try:
        found: Recoding = named(place)(problem, budget.counted())
    except UnplacedError:
        return None
    return found
