"""`subset_dp` for sensitive requirements: the optimum of a tiny table, whatever a class has to promise.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity.subset_dp import MOST_ROWS, cheapest_division, refuse_many, rows_of
from kanon_sql.solvers.sensitive.greedy import refuse_impossible
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.solvers.sensitive.refine import solve as refine
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding


def solve(table: CodedTable, patterns: PatternSet, promise: Promise, budget: Budget) -> Recoding:
    """Return a recoding of least cost whose classes keep the promise.

    Parameters
    ----------
    table : CodedTable
        At most 18 rows.
    patterns : PatternSet
        The permitted patterns, or none listed where all 2^m are permitted.
    promise : Promise
        What every class has to keep.
    budget : Budget
        Time left; when it ends, the recoding of `refine` is returned.

    Raises
    ------
    PolicyError
        When the table has more than 18 rows.
    InfeasibleError
        When the rows cannot be divided into classes that keep the promise under the patterns.

    Notes
    -----
    Time and memory as for `cheapest_division`, and a test of each of 2^n classes.
    """
    refuse_many(table, MOST_ROWS)
    refuse_impossible(table, promise)
    row_type = rows_of(table)
    one = np.ones(table.rows, np.int64)
    histogram = promise.histograms(np.arange(table.rows), row_type, one)

    def keeps(subsets: Int64) -> NDArray[np.bool_]:
        inside = subsets[:, None] >> np.arange(table.rows) & 1
        return promise.met(inside @ histogram)

    found = cheapest_division(table, patterns, range(promise.least, table.rows + 1), keeps, budget)
    return refine(table, patterns, promise, budget) if found is None else found
