"""`subset_dp` for sensitive requirements: the optimum of a tiny table, whatever a class has to meet.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity.subset_dp import MOST_ROWS, cheapest_division, refuse_many, rows_of
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.sensitive.greedy import refuse_impossible
from kanon_sql.solvers.sensitive.refine import solve as refine
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding of least cost whose classes meet the requirement.

    Parameters
    ----------
    problem : Problem
        At most 18 rows.
    budget : Budget
        Time left; when it ends, the recoding of `refine` is returned.

    Raises
    ------
    PolicyError
        When the table has more than 18 rows.
    InfeasibleError
        When the rows cannot be divided into classes that meet the requirement under the patterns.

    Notes
    -----
    Time and memory as for `cheapest_division`, and a test of each of 2^n classes.
    """
    table, requirement = problem.table, problem.requirement
    refuse_many(table, MOST_ROWS)
    refuse_impossible(problem)
    row_type = rows_of(table)
    one = np.ones(table.rows, np.int64)
    histogram = requirement.histograms(np.arange(table.rows), row_type, one)

    def keeps(subsets: Int64) -> NDArray[np.bool_]:
        inside = subsets[:, None] >> np.arange(table.rows) & 1
        return requirement.met(inside @ histogram)

    found = cheapest_division(table, problem.patterns, range(requirement.least, table.rows + 1), keeps, budget)
    return refine(problem, budget) if found is None else found


def takes(problem: Problem) -> bool:
    """Return whether the table is small enough."""
    return problem.table.rows <= MOST_ROWS


def close_gap(problem: Problem, _: Recoding | None, budget: Budget) -> Recoding:
    """Return what `solve` returns: it needs no release to start from."""
    return solve(problem, budget)
