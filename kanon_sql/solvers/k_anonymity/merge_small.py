"""`merge_small`: row types of k rows stay whole, the rows of all others are released together.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 10 (factor m for every k).
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.partition import Classes, divided, each_alone, released
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding of at most m times the optimum's cost, the last rows included.

    Returns
    -------
    Recoding
        The factor m is proven for unit weights where the mask of all columns and the empty mask are permitted; with weights
        it is their sum over the least of them.

    Notes
    -----
    Proof. A row of a *small* row type, one of fewer than k rows, pays for a cell in every release. (1) Where there are k small
    rows, any classes among themselves cost at most m a row. (2) Where the large row types have enough surplus rows to make a
    class of k with the small ones, that class costs at most m k, and every release that costs anything costs k. (3) Else
    some large row type can keep no class of its own in any release: its rows pay like small ones, and no large row type
    is cheaper to join than m times the rows of the smallest.

    The theorem leaves open how rows are chosen. Here the classes of case 1 are split top down, and in the cases 2 and 3 the
    rows that join are those that hide the least, whichever of the two ways costs less.

    O(m^2 t + k t m) time, O(t m) memory.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    small, large = np.flatnonzero(table.weight < k), np.flatnonzero(table.weight >= k)
    rows = int(table.weight[small].sum())
    budget.report("merge", 0.0)
    if not rows:
        classes = each_alone(table, large)
    elif rows >= k:
        classes = each_alone(table, large).concatenated(divided(table, small, table.weight[small], k))
    else:
        taken = _surplus_rows(table, small, large, k)
        offers = [taken, _whole(table, small, large)] if int(taken.sum()) == k else [_whole(table, small, large)]
        taken = min(offers, key=lambda each: _joint_cost(table, each))
        classes = _joined(table, taken)
    return released(table, patterns, k, classes, budget)


def _surplus_rows(table: CodedTable, small: Int64, large: Int64, k: int) -> Int64:
    """Return the rows of each row type [t] in a class of all small rows and, up to k, the nearest surplus rows of others."""
    taken = np.zeros(table.row_types, np.int64)
    taken[small] = table.weight[small]
    common = (table.codes[small] == table.codes[small[0]]).all(axis=0)
    donors = large[table.weight[large] > k]
    need = k - int(taken.sum())
    while need and len(donors):
        differs = table.codes[donors] != table.codes[small[0]]
        nearest = int(np.argmin((differs & common) @ table.cost))
        taken[donors[nearest]] = min(need, int(table.weight[donors[nearest]]) - k)
        need -= int(taken[donors[nearest]])
        common &= ~differs[nearest]
        donors = np.delete(donors, nearest)
    return taken


def _whole(table: CodedTable, small: Int64, large: Int64) -> Int64:
    """Return the rows of each row type [t] in a class of all small rows and the large row type that is cheapest to join."""
    common = (table.codes[small] == table.codes[small[0]]).all(axis=0)
    hidden = table.cost.sum() - ((table.codes[large] == table.codes[small[0]]) & common) @ table.cost
    chosen = np.append(small, large[np.argmin((table.weight[small].sum() + table.weight[large]) * hidden)])
    taken = np.zeros(table.row_types, np.int64)
    taken[chosen] = table.weight[chosen]
    return taken


def _joint_cost(table: CodedTable, taken: Int64) -> int:
    """Return the cost of the rows as one class."""
    codes = table.codes[taken > 0]
    return int((codes != codes[0]).any(axis=0) @ table.cost) * int(taken.sum())


def _joined(table: CodedTable, taken: Int64) -> Classes:
    """Return the taken rows as one class, and the other rows of each row type as a class each."""
    joint, kept = np.flatnonzero(taken), np.flatnonzero(table.weight > taken)
    together = Classes(row_type=joint.astype(np.int32), count=taken[joint], number=np.zeros(len(joint), np.int64))
    alone = Classes(row_type=kept.astype(np.int32), count=(table.weight - taken)[kept], number=kept)
    return together.concatenated(alone)
