"""Three ways to count people in classes; the cheapest release is taken, and in small tables a fourth way goes on from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity.subset_dp import MOST_ROWS, cheapest_division, rows_of
from kanon_sql.solvers.people import by_rows, distinct, greedy
from kanon_sql.solvers.people.representatives import Represented
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import Solver
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Recoding

_NEARLY = 1.03
"""How much more than the release for rows that for people may cost so that no other is tried."""


def solve(problem: Problem, budget: Budget, solver: Solver, bound: int) -> Recoding:
    """Return a recoding whose classes hold rows of k people.

    Parameters
    ----------
    problem : Problem
        People are one of the sensitive attributes of its table, and its requirement counts them.
    solver : Solver
        The solver of sensitive attributes that is called, with one representative row of each person.
    bound : int
        What every release costs at least, in units of the table: a release that costs no more is not compared with another.

    Returns
    -------
    Recoding
        Without a bound, but for a tiny table: what is proven for one choice of representatives need not hold for another.

    Raises
    ------
    InfeasibleError
        When neither way finds a release, and there are more than 18 rows or there is none.
    """
    found = _cheapest(problem, budget, solver, bound)
    least = max(bound, found.lower_bound)
    if solver.name != "refine" or found.cost(problem.table) <= least or not distinct.pays_off(problem) or budget.over():
        return found
    cheaper = distinct.improved(problem, found, least, budget)
    return replace(found, row_type=cheaper.row_type, shown=cheaper.shown, count=cheaper.count)


def _cheapest(problem: Problem, budget: Budget, solver: Solver, bound: int) -> Recoding:
    """Return the cheapest of three releases, or the first that costs as little as possible."""
    table = problem.table
    found: list[tuple[int, Recoding]] = []
    try:
        one_by_one = by_rows.solve(problem, budget.half().of_rows(), solver)
    except InfeasibleError:
        one_by_one = None  # perhaps only because the search left rows over
    if one_by_one is not None:
        recoding, least = one_by_one
        found.append((recoding.cost(table), recoding))
        budget.report("people", 0.5, found[0][0])
        if found[0][0] <= max(bound, recoding.lower_bound, _NEARLY * least):
            return recoding
    counted = None if found and budget.over() else greedy.solve(problem, budget)
    if counted is not None:
        cost = counted.cost(table)
        found.append((cost, replace(counted, remark="people are counted class by class, the cheapest mask first")))
        if cost <= bound:
            return found[-1][1]
    refused: InfeasibleError | None = None
    try:
        one = _represented(problem, budget, solver)
        found.insert(0, (one.cost(table), one))
    except InfeasibleError as error:
        refused = error
    if found:
        best = min(found, key=lambda each: each[0])[1]
        proven = max((each for _, each in found), key=lambda each: each.lower_bound if each.prices is not None else 0)
        return replace(best, lower_bound=proven.lower_bound, bound=proven.bound, prices=proven.prices)
    exact = _of_tiny_table(problem, budget) if table.rows <= MOST_ROWS else None
    if exact is None:
        raise refused or InfeasibleError("no release was found in time; hint: allow more time, or permit masks that show less")
    return replace(exact, remark="both searches left rows over, so all divisions of the rows were compared")


def _represented(problem: Problem, budget: Budget, solver: Solver) -> Recoding:
    """Return the release of a solver that counts representative rows."""
    represented = Represented.of(problem.requirement)
    by_rows = replace(problem, table=represented.table, requirement=represented.requirement(problem.requirement))
    found = represented.spread(solver.load()(by_rows, budget.of_rows()))
    return replace(found, remark="; ".join(filter(None, ("a row stands for each person", found.remark))))


def _of_tiny_table(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a recoding of least cost of at most 18 rows; None when the time is up."""
    table, requirement = problem.table, problem.requirement
    row_type = rows_of(table)

    def keeps(subsets: Int64) -> NDArray[np.bool_]:
        number, row = np.nonzero(subsets[:, None] >> np.arange(table.rows) & 1)
        return requirement.holds(number, row_type[row], np.ones(len(row), np.int64))

    return cheapest_division(table, problem.patterns, range(requirement.least, table.rows + 1), keeps, budget)
