"""A release by one solver, and by others where that one leaves rows over: of rows, of people, next to a population."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import DeltaPresence
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.guarantees import in_population
from kanon_sql.solvers.instances.repair import UnplacedError
from kanon_sql.solvers.instances.suppression import never_costlier
from kanon_sql.solvers.least_prices import least_prices
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Masks, named
from kanon_sql.solvers.registry import Solver
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding


def placed(problems: Masks, problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return a release by a solver that meets every requirement.

    Parameters
    ----------
    problems : Masks
        The class of the problem.
    problem : Problem
        The requirement, in codes.
    solver : Solver
        Most solve for the rows of classes alone: the population is then counted next to them.

    Raises
    ------
    InfeasibleError
        When no release was found.
    """
    found = _placed(problems, problem, budget, solver)
    if not problem.requirement.population:
        return found
    return never_costlier(problem, found, budget, lambda part, given: _placed(problems, part, given, solver))


def _placed(problems: Masks, problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return a release; next to a population, the one by suppression may cost less."""
    if any(isinstance(each, DeltaPresence) for each in problem.requirement.population):
        from kanon_sql.solvers.population import presence

        return presence.solve(problem, budget, lambda part, given: _placed(problems, part, given, solver))
    if not problem.requirement.population or problems.with_population is None:
        return _by_rows(problems, problem, budget, solver)
    found: Recoding = named(problems.with_population)(
        problem, budget, lambda part, given: _closed(problems, part, given, solver), people=problems.people
    )
    return found


def _closed(problems: Masks, problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return the release of a solver, or a cheaper one of exact solvers, which ask nothing of the population."""
    found = _by_rows(problems, problem, budget, solver)
    if solver.name != "refine":
        return found
    rows = replace(problem, requirement=replace(problem.requirement, population=()))
    for each in problems.exact:
        if not found.optimal(rows.table) and not budget.over() and each.fits(rows, 0.0):
            found = each.close_gap(rows, found, budget)
    return found


def _by_rows(problems: Masks, problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return a release by a solver, and by integer programs where its search leaves rows over; no program counts people.

    Raises
    ------
    InfeasibleError
        When neither places all rows.
    """

    def solve(part: Problem, given: Budget) -> Recoding:
        if problems.search is not None:
            return _searched(named(problems.search), problems, part, given, solver)
        return solver.load()(part, given)

    try:
        found = solve(problem, budget)
        # where values are sensitive, `refine` itself starts from the release by suppression
        ended = solver.name != "refine" or (bool(problem.requirement.requirements) and problems.search is None)
        ended = ended or bool(problem.requirement.population)  # the caller looks at releases by suppression
        return found if ended else never_costlier(problem, found, budget, solve)
    except UnplacedError as unplaced:
        left = str(unplaced)
    programs: Recoding | None = None if problems.programs is None else named(problems.programs)(problem, budget)
    if programs is None:
        raise InfeasibleError(left)
    return replace(programs, remark="the search left rows over, so integer programs placed all of them")


def _searched(search: Callable[..., Recoding], problems: Masks, problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return a release by a search that leads a solver, with what is known of its bound."""
    prices, distance = least_prices(problems, problem.patterns, problem.requirement, budget.half())
    least = int(prices.price @ problem.table.weight)
    found = search(problem, budget, solver, least)
    if found.lower_bound > least:
        return replace(found, prices=prices) if found.prices is None else found
    return replace(found, lower_bound=least, bound=distance, prices=prices)


def check_population(table: CodedTable, requirement: ClassRequirement, recoding: Recoding) -> None:
    """Count what classes match in the population once more.

    Raises
    ------
    AuditError
        When a guarantee about it is broken.
    """
    for each in requirement.population:
        in_population(each, table).check(recoding)
