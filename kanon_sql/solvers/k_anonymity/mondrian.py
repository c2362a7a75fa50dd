"""`mondrian`: median cuts, the baseline that everybody knows, with suppression in place of ranges.

References
----------
LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006), strict partitioning.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding without a guarantee on its cost.

    A part is cut between two values of the column with the most values in the part, as near to the median as equal values
    allow; where a side would have fewer than k rows, the column with the next most values is tried. A part that no column
    can cut is a class, and shows the columns on which all its rows agree.

    Parameters
    ----------
    problem : Problem
        t row types, m columns, at least k rows. Codes follow the order of the values.
    budget : Budget
        Time left; when it ends, the parts that there are become classes.

    Returns
    -------
    Recoding
        Mostly expensive: cuts that make ranges narrow still leave two values in them, and then a column is suppressed.

    Notes
    -----
    O(m t log t) a level of cuts, about log2(n / k) levels; memory O(t).
    """
    from kanon_sql.kernels.partitions import cut_parts

    table, patterns, k = problem.table, problem.patterns, problem.k
    by_column = np.ascontiguousarray(table.codes.T)
    member = np.arange(table.row_types)
    starts = np.zeros(table.row_types, np.bool_)
    parts = np.array([[0, table.row_types]])
    while len(parts) and not budget.over():
        parts = cut_parts(by_column, table.weight, k, member, parts, starts)
        budget.report("median cuts", 1 - int((parts[:, 1] - parts[:, 0]).sum()) / table.row_types)
    classes = Classes(row_type=member.astype(np.int32), count=table.weight[member], number=np.cumsum(starts))
    return released(table, patterns, k, classes, budget)
