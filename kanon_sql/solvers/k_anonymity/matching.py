"""`matching`: 2-anonymity at the least cost, in polynomial time, with any set of masks.

References
----------
Blocki, Williams: Resolving the Complexity of Some Data Privacy Problems (2010).
Bredereck, Nichterlein, Niedermeier: Pattern-Guided k-Anonymity (2013), Theorem 2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity import greedy, refine
from kanon_sql.solvers.matching import BOUND, MOST_ROW_TYPES
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a 2-anonymous recoding of least cost, or the best found in time, with a proven bound.

    Parameters
    ----------
    problem : Problem
        t row types, m columns, two rows or more.
        k is always 2.

    Raises
    ------
    PolicyError
        When k is not 2.
    InfeasibleError
        When the rows cannot be divided into classes of two rows or more under the patterns.

    Notes
    -----
    A class of four rows or more can be divided into classes of two and three, and each part keeps its pattern at the same
    cost a row; so a cheapest matching in pairs and triples is a cheapest release. Cost as for `match`; tables of more than
    40,000 row types are left to `refine`, and the recoding says so.
    """
    table, k = problem.table, problem.k
    if k != 2:
        raise PolicyError(
            f"the algorithm 'matching' divides rows into pairs and triples, so it supports only k = 2, not {k}; hint: use the "
            "algorithm 'optimal'"
        )
    if table.row_types > MOST_ROW_TYPES:
        refined = refine.solve(problem, budget)
        return replace(refined, remark=refined.remark or f"more than {MOST_ROW_TYPES:,} row types are too many: refine")
    return close_gap(problem, None, budget)


def takes(problem: Problem) -> bool:
    """Return whether the problem is 2-anonymity of a table that is small enough."""
    return problem.k == 2 and problem.table.row_types <= MOST_ROW_TYPES


def close_gap(problem: Problem, best: Recoding | None, budget: Budget) -> Recoding:
    """Return a release of least cost, or the best found in time: a matching, if there is one.

    Raises
    ------
    InfeasibleError
        When there is no release.
    """
    from kanon_sql.solvers.matching.simplex_matching import match  # loaded only where rows are matched

    table, patterns = problem.table, problem.patterns
    together = np.full(table.row_types, -1, np.int64)
    found = match(table, patterns, together, budget, best)
    matched = found.recoding(table, patterns)
    if matched is None:
        return (best or greedy.solve(problem, budget)).at_least(found.bound, BOUND)
    return matched
