"""`log_cover`: a greedy cover by pattern instances, each at the least cost for each new row, made a partition.

References
----------
Park, Shim: Approximate Algorithms for k-Anonymity (SIGMOD 2007): O(log k) by a greedy cover.
Kenig, Tassa: A practical approximation algorithm for optimal k-anonymity (DMKD 25, 2012): O(ln k) by closed frequent records.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.disjoint import DisjointClasses
from kanon_sql.solvers.instances.partition import released
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Recoding

Bools = NDArray[np.bool_]

MOST_PAIRS = 1 << 27
"""Pairs of row type and mask that are grouped in a minute or so."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return a strictly k-anonymous recoding of at most (2 - 1 / k) (1 + 1 / 2 + ... + 1 / k) times the optimum's cost.

    Parameters
    ----------
    problem : Problem
        t row types, p masks of which instances are listed, at least k rows.
    budget : Budget
        Time left; when it ends, the rows in no class are divided top down.

    Returns
    -------
    Recoding
        The factor is proven where all masks are permitted, for any weights. It is at most 2 (1 + ln k).

    Raises
    ------
    PolicyError
        When the masks are not listed, or there are more than 134,217,728 pairs of row type and mask.

    Notes
    -----
    Proof. An instance that costs w a row, with n rows in no class, may cover them at w max(1, k / n) each: if n is below k,
    rows of other classes fill it up. The greedy takes the least of these prices. Let a class of an optimum have s >= k rows of
    an instance of cost w. When i of them are in no class, none of them costs more than w max(1, k / i). Summed over i that
    is w (s - k + k H_k) <= s w H_k with H_k = 1 + 1 / 2 + ... + 1 / k. So all prices add up to H_k times the optimum.

    A class made of k rows or more costs the sum of the prices of its rows. If n < k rows are new, their prices add up to
    k w. They take surplus rows of other classes in the support, and make a class of k rows that costs as much. If there are
    too few, they join a class that holds a row of the support. All rows of both agree with it on what either instance shows,
    so a row of the union costs at most the sum of both, and the union has at most 2 k - 1 rows. The prices of each part are
    those of at least k rows: factor (2 k - 1) / k.

    Masks come in the order of their costs, so that instances of k new rows need no queue. O(p t (m + log t)) time, and
    O(t m) for each instance of fewer; memory O(t m) and k for each instance that waits.
    """
    table, patterns, k = problem.table, problem.patterns, problem.k
    if not patterns.listed or len(patterns.shown) * table.row_types > MOST_PAIRS:
        raise PolicyError(
            f"log_cover supports at most {MOST_PAIRS:,} pairs of a distinct combination and a mask, but this table has more; "
            "hint: use fewer columns or masks, or the algorithm 'greedy'"
        )
    cover = _Cover(table, k)
    for place, (shown, cost) in enumerate(zip(patterns.shown.tolist(), patterns.cost.tolist(), strict=True)):
        if budget.over() or not cover.classes.left.any():
            break
        budget.report("log_cover", place / len(patterns.shown))
        cover.use_waiting(cost)
        cover.take_large(shown, cost)
    if not budget.over():
        cover.use_waiting(None)
    cover.take_rest()
    return released(table, patterns, k, cover.classes.finished(), budget)


class _Cover:
    """The classes that grow, and the instances of fewer than k new rows that wait for their turn, by price."""

    def __init__(self, table: CodedTable, k: int) -> None:
        self.classes = DisjointClasses(table, k)
        self._table, self._k = table, k
        self._waiting: list[tuple[int, int, int, tuple[int, ...]]] = []

    def use_waiting(self, cost: int | None) -> None:
        """Take the instances whose price is at most the cost of a row under the next mask; all where there is none."""
        left = self.classes.left
        while self._waiting and (cost is None or self._waiting[0][0] <= cost << 32):
            price, own, shown, members = heapq.heappop(self._waiting)
            members = tuple(i for i in members if left[i])
            if not members:
                continue
            now = self._price(own, members)
            if now > price:
                heapq.heappush(self._waiting, (now, own, shown, members))
                continue
            support = np.flatnonzero(self._fits(shown, members[0]))
            self.classes.add(support, self._table.weight[support])

    def take_large(self, shown: int, cost: int) -> None:
        """Make classes of the instances of a mask with k new rows or more; those with fewer wait."""
        left = self.classes.left
        number = alike(self._table.codes, self._table.cardinality, self._hidden(shown))
        order = np.argsort(number, kind="stable")
        start = np.flatnonzero(np.diff(number[order], prepend=-1))
        new = np.add.reduceat(left[order], start)
        support = np.add.reduceat(self._table.weight[order], start)
        for members in (order[a:b] for a, b in self._bounds(start, (new > 0) & (support >= self._k))):
            unassigned = members[left[members] > 0]
            if left[unassigned].sum() >= self._k:
                self._take(unassigned)
            else:
                waits = tuple(unassigned.tolist())
                heapq.heappush(self._waiting, (self._price(cost, waits), cost, shown, waits))

    def take_rest(self) -> None:
        """Let the last rows, fewer than k, join any classes."""
        everyone = np.arange(self._table.row_types)
        while 0 < self.classes.left.sum() < self._k:
            self.classes.add(everyone, self._table.weight)

    def _take(self, members: Int64) -> None:
        """Make classes of all rows that are in none, k to 2 k - 1 each."""
        left = self.classes.left
        while rows := int(left[members].sum()):
            size = rows if rows < 2 * self._k else self._k
            own = left[members]
            most = np.clip(size - (np.cumsum(own) - own), 0, own)
            self.classes.add(members[most > 0], most[most > 0])

    def _bounds(self, start: Int64, chosen: Bools) -> list[tuple[int, int]]:
        end = np.append(start[1:], self._table.row_types)
        return list(zip(start[chosen].tolist(), end[chosen].tolist(), strict=True))

    def _price(self, cost: int, members: tuple[int, ...]) -> int:
        """Return what a new row costs, as a whole number; equal prices stay equal, others apart while k < 2^16."""
        return (cost * self._k << 32) // int(self.classes.left[list(members)].sum())

    def _hidden(self, shown: int) -> Bools:
        return np.array([not shown >> column & 1 for column in range(self._table.codes.shape[1])])

    def _fits(self, shown: int, row_type: int) -> Bools:
        visible = ~self._hidden(shown)
        codes = self._table.codes
        fits: Bools = (codes[:, visible] == codes[row_type, visible]).all(axis=1)
        return fits
