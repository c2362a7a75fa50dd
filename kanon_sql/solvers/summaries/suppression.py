"""Classes that show what their rows agree on, improved by local search: for tables with too many masks to list.

A column costs a class nothing where its rows agree and each row a cell where they do not: the loss of a class depends on
its members, as that of ranges and sets does.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from kanon_sql.errors import AuditError
from kanon_sql.kernels.summaries import Classes as ChangingClasses
from kanon_sql.kernels.summaries import Measure
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.row_distance import near_row_types
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.solvers.summaries.nearest import NEAR, nearby
from kanon_sql.solvers.summaries.search import divided, planned, search
from kanon_sql.table.recoding import Recoding

_TRIAL = 0.3
"""The share of the rounds after which the search from coarse classes has to lose less than the other start."""


def improve(problem: Problem, coarse: Recoding, other: Recoding, budget: Budget) -> Recoding:
    """Return a recoding whose classes lose less than one of two starts, by rebuilding neighbourhoods of classes.

    A search from coarse classes goes on if it soon loses less than the other start; then it also ends lower. Else the search
    begins again from the other start.

    Parameters
    ----------
    problem : Problem
        All masks are permitted.
    coarse, other : Recoding
        Where the search may start.
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
    measure, scale = measured(table, kinds, null)
    near = near_row_types(table, NEAR, budget)
    if near is None:
        near = nearby(table, measure, scale, requirement.least, other.row_type.astype(np.int64)).near
    go_on = partial(
        search, table, measure, scale, requirement, near=near, bound=problem.least * scale, budget=budget, initial=0
    )
    classes, known = _planned(problem, coarse, measure), _planned(problem, other, measure)
    if budget.seconds is None:
        go_on(classes, last=_TRIAL)
    if np.sum(classes.loss) < np.sum(known.loss):
        go_on(classes, first=_TRIAL)
    else:
        classes = known
        go_on(classes)
    best = divided(classes.partition)
    if not requirement.holds(best.number, best.row_type, best.count).all():
        raise AuditError("the local search returned a class that breaks the guarantee; nothing was released")
    pieces = Classes(row_type=best.row_type, count=best.count, number=best.number)
    return released(table, problem.patterns, problem.k, pieces, budget)


def _planned(problem: Problem, recoding: Recoding, measure: Measure) -> ChangingClasses:
    """Return the classes of a recoding as classes that can be changed."""
    number = PartialRecoding.of(recoding).classes(problem.table)
    order = np.argsort(number, kind="stable")
    row_type = recoding.row_type[order].astype(np.int64)
    return planned(problem.table, measure, problem.requirement.least, row_type, number[order], recoding.count[order])
