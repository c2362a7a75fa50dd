"""The automatic choice: a first solver, then exact ones if the table is small or the problem takes polynomial time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import UnplacedError
from kanon_sql.solvers.instances.suppression import never_costlier
from kanon_sql.solvers.placing import placed
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Exact, Masks, named
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
    is left. With a requirement on a population, only the first solver runs.
    """
    exact = fitting(problems, problem, budget)
    if not exact:
        return placed(problems, problem, budget, solver), None
    start = next((each.start for each in exact if each.begins(problem)), None)
    best = _start(start, problem, budget) if start else placed(problems, problem, budget.counted(), solver)
    best, by = close_gap(problem, best, exact, budget)
    searched = start is None and budget.seconds is None
    if best is None or not (searched or best.optimal(problem.table) or budget.over()):
        found = placed(problems, problem, budget, solver)
        if best is None or found.cost(problem.table) < best.cost(problem.table):
            by = None
        best = found if best is None else best.combined(found, problem.table)
    cheaper = never_costlier(problem, best, budget, _closed(problems, problem, best, solver))
    return cheaper, by if cheaper is best else None


def _closed(problems: Masks, problem: Problem, best: Recoding, solver: Solver) -> Callable[[Problem, Budget], Recoding]:
    """Return what releases by suppression as `solved` does, but asks no exact solver if its release cannot be the cheapest."""

    def release(part: Problem, budget: Budget) -> Recoding:
        cost, unit = best.cost(problem.table), problem.table.unit // part.table.unit
        prices = next((_start(each.start, part, budget) for each in problems.exact if each.start), None)
        if prices is not None and cost <= unit * prices.lower_bound:
            return prices
        first = placed(problems, part, budget, solver)
        if cost <= unit * first.lower_bound:
            return first
        closer, _ = close_gap(part, first, fitting(problems, part, budget), budget)
        return first if closer is None else closer

    return release


def fitting(problems: Masks, problem: Problem, budget: Budget) -> list[Exact]:
    """Return the exact solvers for a problem; none if a population has a requirement."""
    if problem.requirement.population:
        return []
    seconds = budget.left()
    return [each for each in problems.exact if each.fits(problem, seconds)]


def close_gap(
    problem: Problem, best: Recoding | None, exact: Sequence[Exact], budget: Budget
) -> tuple[Recoding | None, Exact | None]:
    """Return the cheapest of a release and those of exact solvers, called until the optimum is proven, and which one it is of.

    Parameters
    ----------
    problem : Problem
        The requirement, in codes.
    best : Recoding, optional
        A release, if one is known.
    exact : sequence of Exact
        The solvers, in the order of their calls.
    """
    by: Exact | None = None
    for each in exact:
        if best is not None and (best.optimal(problem.table) or budget.over()):
            break
        found = each.close_gap(problem, best, budget)
        if best is None or found.optimal(problem.table) or found.cost(problem.table) < best.cost(problem.table):
            by = each
        best = found
    return best, by


def _start(place: str, problem: Problem, budget: Budget) -> Recoding | None:
    """Return a release to start from; None if one is not found at once."""
    try:
        found: Recoding = named(place)(problem, budget.counted())
    except UnplacedError:
        return None
    return found
