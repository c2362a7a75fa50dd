"""`mdav`: classes of k rows around the rows that are farthest out, the baseline that everybody knows.

References
----------
Domingo-Ferrer, Mateo-Sanz: Practical Data-Oriented Microaggregation for Statistical Disclosure Control (IEEE TKDE 2002).
Domingo-Ferrer, Torra: Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation (DMKD 2005).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels.microaggregation import divide
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation.places import PlacedRows, Points, blocks
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int64

_STEPS = 1_500_000_000
"""Points that are passed over, times columns, in some seconds; where it were more, points are divided in blocks first."""

_SMALLEST = 1024
"""Points of a block at least."""


def solve(placed: PlacedRows, k: int, budget: Budget) -> SummaryPartition:
    """Return a partition of all rows; row types are split where k rows end.

    Parameters
    ----------
    placed : PlacedRows
        At least k rows.
    budget : Budget
        Time left; blocks beyond it are one class each.
    """
    row_type = np.repeat(np.arange(len(placed.rows)), placed.rows)
    number = classes(placed.x[row_type], k, budget)
    return gathered(row_type, number)


def classes(x: Points, k: int, budget: Budget) -> Int64:
    """Return the class of each point, dense from 0.

    Parameters
    ----------
    x : float64 array [n, m]
        At least k points.
    """
    n, m = x.shape
    found, made = np.zeros(n, np.int64), 0
    most = max(_SMALLEST, 4 * k, _STEPS * k // (n * m))
    parts = blocks(x, most, k)
    for done, block in enumerate(parts):
        budget.report("classes of k rows", done / len(parts))
        if not budget.over():
            found[block] = made + divide(np.ascontiguousarray(x[block]), k)
        else:
            found[block] = made
        made = int(found[block].max()) + 1
    return found


def gathered(row_type: Int64, number: Int64) -> SummaryPartition:
    """Return the partition of rows given one by one: the row type and the class of each."""
    numbers = np.unique(number, return_inverse=True)[1]
    pieces, count = np.unique(np.stack([row_type, numbers]), axis=1, return_counts=True)
    return SummaryPartition(row_type=pieces[0].astype(np.int32), number=pieces[1], count=count.astype(np.int64))
