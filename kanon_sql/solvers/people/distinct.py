"""Each person is a value, and a class has k different ones: in small tables, the search of sensitive values counts them.

The histogram of a class then has a counter for each person, so the work grows with people times rows.
"""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.model.requirements import KAnonymity
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.people.people_requirement import persons
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive.pricing import prices
from kanon_sql.solvers.sensitive.refine import opened, searched
from kanon_sql.solvers.sensitive.search import of_recoding
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.table.recoding import Recoding

_MOST = 1 << 20
"""People times row types up to which this is tried: some seconds."""


def pays_off(problem: Problem) -> bool:
    """Return whether a table is small enough, and its masks are listed."""
    return problem.patterns.listed and few(problem.requirement)


def few(requirement: ClassRequirement) -> bool:
    """Return whether a table has few enough people and row types for histograms with a counter for each person."""
    return len(persons(requirement).count) * requirement.table.row_types <= _MOST


def counted(requirement: ClassRequirement) -> ClassRequirement:
    """Return the same requirement, where each person is a value of a histogram."""
    return ClassRequirement.of(requirement.table, (KAnonymity(k=requirement.k), *requirement.requirements))


def improved(problem: Problem, start: Recoding, bound: int, budget: Budget) -> Recoding:
    """Return the cheaper of a release and what a local search makes of it.

    Parameters
    ----------
    problem : Problem
        Its requirement counts people.
    start : Recoding
        A release that meets it.
    bound : int
        What every release costs at least, in units of the table.
    """
    table = problem.table
    space = SensitiveSearchSpace.of(replace(problem, requirement=counted(problem.requirement)), start.mean_costs(table), budget)
    if space is None:
        return start
    space, _ = space.feasible()[0].with_classes(of_recoding(start))
    guide = prices(space, start.mean_costs(table), start.cost(table), budget)
    return searched(opened(space, [guide], budget), start, bound, budget)
