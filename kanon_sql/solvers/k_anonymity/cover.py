"""`cover`: a greedy cover by all sets of k to 2 k - 1 rows, made a partition. For tiny tables.

References
----------
Meyerson, Williams: On the Complexity of Optimal K-Anonymity (PODS 2004), Theorem 4.1 (factor 3 k (1 + ln 2 k)).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.disjoint import DisjointClasses
from kanon_sql.solvers.instances.partition import released
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

MOST_SETS = 1 << 18
"""Sets of rows that are listed in about a second; 116 rows for k = 2, 32 for k = 3, 19 for k = 5."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding of at most 3 k (1 + ln 2 k) times the optimum's cost.

    Parameters
    ----------
    problem : Problem
        t row types, m columns, at least k rows, and few sets of k to 2 k - 1 of them. Of a row type with k rows, which is a
        class of its own, only k - 1 rows count.
    budget : Budget
        Time left; when it ends, the rows in no class are divided top down.

    Returns
    -------
    Recoding
        The factor is proven where all masks are permitted, for any weights: distances are weighted.

    Raises
    ------
    PolicyError
        When there are more than 262,144 sets.

    Notes
    -----
    Proof. Let d be the diameter of a class: the most that two of its rows differ in. A class of s rows costs at least s d a
    release, and at most s^2 d / 2, as a column with two values divides s - 1 pairs of rows or more. With k <= s < 2 k, the
    cost is within 2 k (the paper counts 3 k) times the sum of the diameters, and that is within 1 + ln 2 k of its least
    because each set is chosen greedily by its diameter for each new row.

    O(s k^2) time for s sets, O(s k) for each one chosen; memory O(s k).
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    rows = np.repeat(np.arange(table.row_types, dtype=np.int32), np.where(table.weight < k, table.weight, k - 1))
    sizes = range(k, min(2 * k - 1, len(rows)) + 1)
    sets = sum(math.comb(len(rows), size) for size in sizes)
    if sets > MOST_SETS:
        raise PolicyError(
            f"cover supports at most {MOST_SETS:,} sets of rows, but {len(rows)} rows form {sets:,} of {k} to {2 * k - 1}; "
            "hint: use the algorithm 'balls', which has no such limit"
        )
    classes = DisjointClasses(table, k)
    families = [_Family(table, rows, size) for size in sizes]
    while (unassigned := int(classes.left.sum())) and not (budget.over() and unassigned >= k):
        budget.report("cover", 1 - unassigned / table.rows)
        family, place = min((each.cheapest(classes.left) for each in families), key=lambda found: found[0])[1:]
        classes.add(*np.unique(family.member[place], return_counts=True))
    return released(table, patterns, k, classes.finished(), budget)


class _Family:
    """All sets of one size: their row types, and their diameters."""

    def __init__(self, table: CodedTable, rows: np.ndarray[tuple[int], np.dtype[np.int32]], size: int) -> None:
        listed = np.fromiter(chain.from_iterable(combinations(rows, size)), np.int32)
        self.member = np.unique(listed.reshape(-1, size), axis=0)
        self.diameter = np.zeros(len(self.member), np.int64)
        self._earlier = np.zeros(self.member.shape, np.int32)
        distinct = np.unique(rows)
        codes = table.codes[distinct]
        distance = np.stack([(codes != own) @ table.cost for own in codes])
        place = np.searchsorted(distinct, self.member)
        for high in range(size):
            for low in range(high):
                np.maximum(self.diameter, distance[place[:, low], place[:, high]], out=self.diameter)
                self._earlier[:, high] += place[:, low] == place[:, high]

    def cheapest(self, left: Int64) -> tuple[tuple[Fraction | float, int], _Family, int]:
        """Return the set of least diameter for each new row, and the most new rows; infinite if there are none."""
        new = (left[self.member] > self._earlier).sum(axis=1)
        best: tuple[tuple[Fraction | float, int], _Family, int] = ((math.inf, 0), self, -1)
        for count in np.unique(new[new > 0]).tolist():
            those = np.flatnonzero(new == count)
            place = int(those[np.argmin(self.diameter[those])])
            best = min(best, ((Fraction(int(self.diameter[place]), count), -count), self, place), key=lambda found: found[0])
        return best
