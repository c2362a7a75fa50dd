"""One integer program over all pattern instances, for a table in which a search has not placed every row.

Without the mask that suppresses everything, whether there is a release at all is NP-hard: a search may miss the only one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.ilp import BOUND, INFEASIBLE, solve_program
from kanon_sql.solvers.instances.listing import useful
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Prices, Recoding

_MOST_PAIRS = 300_000
"""Pairs of a row type and an instance beyond which the program is not built."""


def solve(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a recoding of least cost, or the best found in time; None if the program is too large or time is up.

    Parameters
    ----------
    problem : Problem
        t row types, at least k rows.
    budget : Budget
        Time left; the program is solved to the end without a limit.

    Raises
    ------
    InfeasibleError
        When there is no release: the program proves it.

    Notes
    -----
    Exponential in the worst case.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    instances = useful(table, patterns, k, slack=None, limit=_MOST_PAIRS) if patterns.listed else None
    if instances is None:
        return None
    space = RowSearchSpace.of(table, patterns, k, instances, Prices(price=np.zeros(table.row_types, np.int64), scale=1))
    whole = Neighbourhood.of(space, space.empty(), np.arange(table.row_types), table.weight)
    outcome = solve_program(whole.program, seconds=budget.left())
    if outcome.bound == INFEASIBLE:
        raise InfeasibleError(
            f"no release of the {how_many(table.rows, 'row')} under the given masks has only classes of at least {k} rows; "
            "hint: permit masks that show less, or the mask (), which suppresses everything"
        )
    if outcome.assignment is None:
        return None
    placed = whole.placed(outcome.assignment)
    partial = PartialRecoding(
        row_type=placed.row_type,
        shown=patterns.shown[instances.pattern[placed.number]],
        count=placed.count,
        placed=np.ones(len(placed.count), np.bool_),
    )
    return replace(partial.recoding(), lower_bound=outcome.bound, bound=BOUND)
