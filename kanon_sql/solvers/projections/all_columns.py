"""The release that meets by all columns the requirement of known ones: by fewer columns, classes are unions of its classes."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.model.all_columns_known import greatest_people
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, Requirement, by_all_or_known, least_rows
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.placing import placed
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Masks, named
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.recoding import Recoding


def by_all_columns(problem: Problem, budget: Budget, *, thorough: bool) -> Recoding:
    """Return a release in which the classes by all columns meet the requirement.

    Raises
    ------
    InfeasibleError
        When none is found.
    """
    requested = problem.requirement
    direct: tuple[Requirement, ...] = (KAnonymity(k=max(1, requested.k)), *requested.requirements)
    every = greatest_people(by_all_or_known((*direct, *requested.known)))
    k = least_rows(every)
    every = (KAnonymity(k=k), *(each for each in every if not isinstance(each, KAnonymity)))
    problems = Masks.of(Policy(every_column=True, requirements=every))
    requirement: ClassRequirement = named(problems.requirement).of(requested.table, every)
    solver = problems.solvers["refine" if thorough else "greedy"]
    return placed(problems, replace(problem, requirement=requirement), budget, solver)
