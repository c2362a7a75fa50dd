"""A release by one solver, and by others where that one leaves rows over: of rows, of people, beside a population."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import DeltaPresence
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.guarantees import in_population
from kanon_sql.solvers.instances.repair import UnplacedError
from kanon_sql.solvers.least_prices import least_prices
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import POPULATION_SOLVERS, Solver
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding


def placed(problem: Problem, budget: Budget, solver: Solver, *, people: bool) -> Recoding:
    """Return a release by a solver that meets all that is asked.

    Parameters
    ----------
    problem : Problem
        What is asked, in codes.
    budget : Budget
        Time left.
    solver : Solver
        Most solve for the rows of classes alone: the population is then looked at beside them.
    people : bool
        Whether classes hold rows of k people.

    Raises
    ------
    InfeasibleError
        When no release was found.
    """
    if any(isinstance(each, DeltaPresence) for each in problem.requirement.population):
        from kanon_sql.solvers.population import presence

        return presence.solve(problem, budget, lambda part, given: placed(part, given, solver, people=people))
    if not problem.requirement.population or solver.name in POPULATION_SOLVERS:
        return _by_rows(problem, budget, solver, people=people)
    from kanon_sql.solvers.population.k_map import solve_beside

    return solve_beside(problem, budget, lambda part, given: _by_rows(part, given, solver, people=people), people=people)


def _by_rows(problem: Problem, budget: Budget, solver: Solver, *, people: bool) -> Recoding:
    """Return a release by a solver, and by integer programs where its search leaves rows over; no program counts people.

    Raises
    ------
    InfeasibleError
        When neither places all rows.
    """
    try:
        if not people:
            return solver.load()(problem, budget)
        return _people_counted(problem, budget, solver)
    except UnplacedError as unplaced:
        left = str(unplaced)
    found = None if people else _by_programs(problem, budget)
    if found is None:
        raise InfeasibleError(left)
    return replace(found, remark="the search left rows over, so integer programs placed all of them")


def _people_counted(problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return a release by a solver where classes hold rows of k people, with what is known of its bound."""
    from kanon_sql.solvers.people import search

    prices, distance = least_prices(problem.patterns, problem.requirement, budget.half())
    least = int(prices.price @ problem.table.weight)
    found = search.solve(problem, budget, solver, least)
    bound, method = max((found.lower_bound, found.bound), (least, distance))
    return replace(found, lower_bound=bound, bound=method, prices=prices)


def _by_programs(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a release by integer programs, None where they find none."""
    if problem.requirement.requirements:
        from kanon_sql.solvers.sensitive import optimal

        return optimal.solve(problem, budget)
    from kanon_sql.solvers.k_anonymity import whole_program

    return whole_program.solve(problem, budget)


def check_population(table: CodedTable, requirement: ClassRequirement, recoding: Recoding) -> None:
    """Count what classes match in the population once more.

    Raises
    ------
    AuditError
        When a guarantee about it is broken.
    """
    for each in requirement.population:
        in_population(each, table).check(recoding)
