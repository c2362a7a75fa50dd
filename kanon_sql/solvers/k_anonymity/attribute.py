"""`attribute`: the cheapest columns are dropped for all rows, so that every class of the others has k rows.

References
----------
Meyerson, Williams: On the Complexity of Optimal K-Anonymity (2004), Section 3.1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity import full_domain
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.ladder import COST
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a recoding that drops columns as a whole, at the least cost.

    Parameters
    ----------
    problem : Problem
        t row types, m columns. Of ladders only the patterns that show nothing, or the finest level that may be shown, are
        tried.

    Raises
    ------
    PolicyError
        When columns are generalized and the patterns are too many to list.
    InfeasibleError
        When no permitted pattern leaves k rows in every class.

    Notes
    -----
    The full-domain recoding without suppressed rows, for which see there.
    """
    table, patterns = problem.table, problem.patterns
    ladders = [places for names, places in table.ladders.items() if len(places) > 1 and names != COST]
    if ladders and not patterns.listed:
        raise PolicyError("the generalized columns have too many levels for the algorithm 'attribute'; hint: use 'full_domain'")
    whole = np.ones(len(patterns.shown), np.bool_)
    for places in ladders:
        bits = patterns.shown & np.uint64(sum(1 << place for place in places))
        whole &= (bits == 0) | (bits & np.uint64(_finest(table, places)) > 0)
    if patterns.listed and not whole.any():  # an empty list would stand for every pattern
        raise InfeasibleError("no mask shows every column at its finest level; hint: use full_domain, which needs no such mask")
    tried = PatternSet(shown=patterns.shown[whole], cost=patterns.cost[whole]) if ladders else patterns
    found = full_domain.solve(replace(problem, patterns=tried, most_suppressed=None), budget)
    return replace(found, remark=found.remark.replace("full-domain recodings", "releases that drop whole columns"))


def _finest(table: CodedTable, places: list[int]) -> int:
    """Return the bit of the finest level of a ladder that may be shown, 0 if there is none."""
    return next((1 << place for place in places if not table.hidden_levels >> place & 1), 0)
