"""What rows pay in k-anonymity, where masks with levels are many: the instances near these prices are listed.

Two greedy passes over 38,880 masks take 98 s for 60,000 rows, and these prices 10 s. They also list less than what rows pay in
the greedy's release, which costs nearly twice as much: under l >= 2 the search ends at 187,762 cells, and was at 193,533.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import LDiversity
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity import refine
from kanon_sql.solvers.k_anonymity.listed_greedy import are_many
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive.search_space import FEW_PAIRS, QIGroups

_MILD = 2
"""Most l of a guarantee that starts from these prices. t <= 0.3 costs 13 % more with them for 15,000 rows."""

_AIM = 1.5
"""What the release may cost that prices aim at, as a multiple of the bound for k-anonymity."""


def pays_off(problem: Problem) -> bool:
    """Return whether a pass over all masks with levels takes long, and most classes of k rows meet the requirement."""
    table, patterns = problem.table, problem.patterns
    listed = patterns.listed and table.row_types * len(patterns.shown) > FEW_PAIRS
    requested = problem.requirement.requirements
    mild = all(isinstance(each, LDiversity) and each.l <= _MILD for each in requested)
    return listed and mild and table.has_ladders and are_many(table, patterns)


def solve(problem: Problem, budget: Budget) -> tuple[NDArray[np.float64], int] | None:
    """Return what a row of each row type may pay, float64 [t], and the cost to aim at; None if there are no prices in time.

    Parameters
    ----------
    problem : Problem
        Its requirement counts rows, not people.

    Notes
    -----
    What the prices of k-anonymity take for the QI groups; costs are in units of the table.
    """
    groups, least = QIGroups.of(problem.table), problem.requirement.least
    rows = ClassRequirement(table=groups.table, k=least, least=least)
    found = refine.priced(replace(problem, table=groups.table, requirement=rows), budget)
    if found.prices is None:
        return None
    row_price = found.prices.price / found.prices.scale
    return np.repeat(row_price, np.diff(groups.first)), int(_AIM * found.lower_bound)
