"""What solvers decide: which rows of a coded table show what, and the prices that prove a bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """A proof of a lower bound: what every row of a row type is charged at most, whatever the release.

    The bound is the sum of all prices less what the pattern instances could gain from them (the Lagrangian relaxation of
    the assignment of rows), computed in whole numbers.
    """

    price: Int64  # [t]: price of a row of each row type, in units of ``1 / scale`` of the table's unit
    scale: int  # a power of two
    # [q, 4]: further evidence for a guarantee for known columns: row types that pay for a class, the set of the class and its
    # hidden part as bits of columns, and what a row pays, in the same units
    charges: Int64 = field(default_factory=lambda: np.empty((0, 4), np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoding:
    """What a solver decided: ``q`` pieces, each some rows of one row type under one pattern."""

    row_type: Int32  # [q]: row type of the piece, ascending; a row type may be split over several pieces
    shown: Words  # [q]: the columns that the rows of the piece show
    count: Int64  # [q]: number of rows of the piece, above 0
    lower_bound: int = 0  # a proven lower bound on the cost of every release under the policy, in units of the coded table
    bound: str = "trivial"  # name of the argument that proves it
    prices: Prices | None = None  # evidence for a lower bound, if not always for all of ``lower_bound``
    remark: str = ""  # what the user should know of how it was found

    def cost(self, table: CodedTable) -> int:
        """Return the cost of the release in units of the table; O(q log q)."""
        return int(row_cost(self.shown, table.cost) @ self.count)

    def optimal(self, table: CodedTable) -> bool:
        """Return whether no release is proven to cost less."""
        return self.cost(table) <= self.lower_bound

    def at_least(self, bound: int, method: str) -> Recoding:
        """Return the recoding with another lower bound, if that is higher."""
        return self if bound <= self.lower_bound else replace(self, lower_bound=bound, bound=method)

    def combined(self, other: Recoding, table: CodedTable) -> Recoding:
        """Return the cheaper of two recodings of one table, of equal ones this one, with the higher bound; O(q log q)."""
        cheaper = min(self, other, key=lambda each: each.cost(table))
        higher = max(self, other, key=lambda each: each.lower_bound)
        prices = other.prices if self.prices is None else self.prices
        return replace(cheaper, lower_bound=higher.lower_bound, bound=higher.bound, prices=prices)

    def mean_costs(self, table: CodedTable) -> NDArray[np.float64]:
        """Return what a row of each row type costs on average, float64 [t]; O(q log q)."""
        total = np.zeros(table.row_types)
        np.add.at(total, self.row_type, row_cost(self.shown, table.cost) * self.count)
        return total / table.weight


def hidden_bits(shown: Words, columns: int) -> NDArray[np.int64]:
    """Return int64 [q, columns]: 1 where the pattern hides the column."""
    place = np.arange(columns, dtype=np.uint64)
    return 1 - ((shown[:, None] >> place) & np.uint64(1)).astype(np.int64)


def dividing(shown: Words, ladders: Iterable[Sequence[int]], columns: int) -> NDArray[np.bool_]:
    """Return the shown columns that divide the rows which are alike in the others, bool [q, columns].

    Parameters
    ----------
    shown : uint64 array [q]
        The patterns.
    ladders : iterable of sequence of int
        Columns of which each follows from every one before it.
    columns : int
        How many columns there are.
    """
    finer = np.zeros(columns, np.uint64)
    for places in ladders:
        for level, place in enumerate(places):
            finer[place] = sum(1 << each for each in places[:level])
    found: NDArray[np.bool_] = (hidden_bits(shown, columns) == 0) & (shown[:, None] & finer == 0)
    return found


def row_cost(shown: Words, cost: Int64) -> Int64:
    """Return the cost of a row under each pattern, int64 [q], where a hidden cell of each column costs ``cost`` [m]."""
    kinds, kind = np.unique(shown, return_inverse=True)
    costs: Int64 = hidden_bits(kinds, len(cost)) @ cost
    return costs[kind]
