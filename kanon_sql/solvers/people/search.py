"""Two ways to count people in classes, of which the cheaper release is taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import Requirement
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity.subset_dp import MOST_ROWS, cheapest_division, rows_of
from kanon_sql.solvers.people import greedy
from kanon_sql.solvers.people.crowd import Crowd
from kanon_sql.solvers.people.marks import Marked
from kanon_sql.solvers.registry import Solver
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding


def solve(
    table: CodedTable,
    patterns: PatternSet,
    crowd: Crowd,
    requirements: tuple[Requirement, ...],
    budget: Budget,
    solver: Solver,
) -> Recoding:
    """Return a recoding whose classes hold rows of k people.

    Parameters
    ----------
    table : CodedTable
        People are one of its sensitive attributes.
    patterns : PatternSet
        The permitted patterns.
    crowd : Crowd
        What every class promises.
    requirements : tuple of Requirement
        The same as the policy says it.
    budget : Budget
        Time left.
    solver : Solver
        The solver of sensitive attributes that is asked, with one row marked for each person.

    Returns
    -------
    Recoding
        Without a bound, but for a tiny table: what is proven for one choice of marks need not hold for another.

    Raises
    ------
    InfeasibleError
        When neither way finds a release, and there are more than 18 rows or there is none.
    """
    marked = Marked.of(table, crowd)
    refused: InfeasibleError | None = None
    found: list[tuple[int, Recoding]] = []
    try:
        one = marked.spread(solver.load()(marked.table, patterns, Promise.of(marked.table, requirements), budget))
        found.append(
            (one.cost(table), replace(one, remark="; ".join(filter(None, ("a row stands for each person", one.remark)))))
        )
    except InfeasibleError as error:
        refused = error
    other = None if budget.over() else greedy.solve(table, patterns, crowd, budget)
    if other is not None:
        found.append((other.cost(table), replace(other, remark="people are counted class by class, the cheapest mask first")))
    if found:
        return min(found, key=lambda each: each[0])[1]
    exact = _of_tiny_table(table, patterns, crowd, budget) if table.rows <= MOST_ROWS else None
    if exact is None:
        raise refused or InfeasibleError("no release was found in time; hint: permit more time, or coarser masks")
    return replace(exact, remark="both searches left rows over, so all divisions of the rows were compared")


def _of_tiny_table(table: CodedTable, patterns: PatternSet, crowd: Crowd, budget: Budget) -> Recoding | None:
    """Return a recoding of least cost of at most 18 rows; None when the time is up."""
    row_type = rows_of(table)

    def keeps(subsets: Int64) -> NDArray[np.bool_]:
        number, row = np.nonzero(subsets[:, None] >> np.arange(table.rows) & 1)
        return crowd.holds(number, row_type[row], np.ones(len(row), np.int64))

    return cheapest_division(table, patterns, range(crowd.least, table.rows + 1), keeps, budget)
