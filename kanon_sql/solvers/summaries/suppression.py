"""Classes that show what their rows agree on, improved by local search: for tables with too many masks to list.

A column costs a class nothing where its rows agree and each row a cell where they do not: the loss of a class depends on
its members, as that of ranges and sets does.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.row_distance import near_row_types
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import NEAR, nearby
from kanon_sql.solvers.summaries.search import divided, planned, search
from kanon_sql.table.recoding import Recoding


def improve(problem: Problem, recoding: Recoding, budget: Budget) -> Recoding:
    """Return a recoding whose classes lose no more in all, by rebuilding neighbourhoods of classes.

    Parameters
    ----------
    problem : Problem
        All masks are permitted.
    recoding : Recoding
        Where the search starts.
    budget : Budget
        Time left; without a limit the search ends after a fixed number of steps.

    Raises
    ------
    AuditError
        When a class does not keep its requirement.

    Notes
    -----
    O(t^2) for the row types near each other, at most some seconds; a step depends on the sizes of classes alone.
    """
    table, requirement = problem.table, problem.requirement
    kinds, null = ["plain"] * len(table.columns), np.full(len(table.columns), -1, np.int32)
    number = PartialRecoding.of(recoding).classes(table)
    order = np.argsort(number, kind="stable")
    measure, scale = measured(table, kinds, null)
    row_type, number, count = recoding.row_type[order].astype(np.int64), number[order], recoding.count[order]
    classes = planned(table, measure, requirement.least, row_type, number, count)
    near = near_row_types(table, NEAR, budget)
    if near is None:
        near = nearby(table, measure, scale, requirement.least, row_type).near
    search(table, measure, scale, requirement, classes, near, problem.least * scale, budget, initial=0)
    best = divided(classes.partition)
    if not requirement.holds(best.number, best.row_type, best.count).all():
        raise AuditError("a class of the local search breaks the guarantee; nothing was released")
    pieces = Classes(row_type=best.row_type, count=best.count, number=best.number)
    return released(table, problem.patterns, problem.k, pieces, budget)
