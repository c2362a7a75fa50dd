"""Releases whose classes by every set of known columns have k rows: the algorithm ``projections``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity import refine
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.recoding import Prices, Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return the cheaper of the releases that are found.

    Notes
    -----
    A release that is k-anonymous by all columns meets every requirement for known columns, so there always is one.
    """
    found = by_all_columns(problem, budget)
    zero = Prices(price=np.zeros(problem.table.row_types, np.int64), scale=1)
    return replace(found, lower_bound=0, bound="none", prices=zero)


def by_all_columns(problem: Problem, budget: Budget) -> Recoding:
    """Return a release that is k-anonymous by all columns."""
    k = max(problem.k, *(each.k for each in problem.requirement.known))
    plain = ClassRequirement(table=problem.table, k=k, least=k)
    return refine.solve(replace(problem, requirement=plain), budget)
