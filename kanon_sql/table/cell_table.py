"""A table of counts and sums as whole numbers: base cells, and the published rows that add them up.

A *base cell* is a combination of the finest keys that has rows: an atom of all that is published. A *row* is one row of the
published table: a group of one of its grouping sets. Every row is a sum of base cells, so CUBE, ROLLUP, GROUPING SETS and
hierarchies need nothing else. Groups that several rows name together are rows that nobody sees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is added up in every row, and what of it an attacker may not learn."""

    value: Int64  # [b]: the value of each base cell, not negative
    # [b]: the least value of each base cell as long as no other measure changes: 1 for the count of a cell with a sum
    floor: Int64
    # [r]: the least value that an attacker thinks possible for a suppressed row: 1 for counts where a suppressed row stays in
    # the table (``ROWS NULL``), else 0
    least: Int64
    # [r]: for each row, a value that an attacker has to think possible, or one above it; 0 where nothing is required. Rows
    # where it is greater than the row's own value are primary.
    required: Int64
    # [r]: for each primary row, a value that an attacker has to think possible, too, or one below it; -1 without a requirement
    below: Int64
    or_none: Bools  # [r]: rows that an attacker may also think empty: nobody sees them, so nothing says that somebody is there
    # [b]: what contributors who share their values know each base cell to have at least. A witness of less (``below``) is about
    # attackers outside of its row, and what that row's own contributors know does not bind it.
    known: Int64
    # [b]: base cells that no witness moves: 1 if contributors know all of them, 2 if nobody is there to have a sum. Of those
    # with 1, a witness may *borrow* one of its row, which may only rise: see `CellTable.coalition`.
    fixed: NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class CellTable:
    """The published system."""

    # [b, g]: the row that each base cell is part of in each grouping set. Rows are numbered 0 to r - 1, those of the first
    # grouping set first; within a set in the order of their first base cell. No two sets share a row.
    ancestors: Int32
    # [g, d]: the level of each dimension in each grouping set: 0 is the finest, the greatest is the total. A set whose levels
    # are nowhere greater than those of another refines it: each of its rows lies in one row of the other.
    levels: NDArray[np.int16]
    # Counts first, then sums. A suppressed row hides all of them; each is its own system for an attacker.
    measures: tuple[Measure, ...]
    # [r]: what it costs to suppress a row that is not primary; at least 1, and 0 for rows that are suppressed anyway
    cost: Int64
    shown: Bools  # [r]: rows that have to be shown, and cannot be primary
    suppressed: Bools  # [r]: rows that are suppressed anyway, such as those that an earlier table suppressed
    # [r]: rows of no table: what others have in common, or what is left of one without another. They are suppressed anyway.
    unseen: Bools
    # How many people may share what they know (``AGAINST CONTRIBUTORS``). They know a base cell that has no others. Where the
    # witnesses of a row borrow cells, those have more people together than such a coalition, or all people of the row: so one
    # of them is open to each coalition that is not the whole row.
    coalition: int = 0
    # [n, 3]: what is left of a row without a part: the row, the part, and the only part of what is left that has people. Some
    # witness has as many people there as the last part requires, or none.
    rests: Int64 = field(default_factory=lambda: np.zeros((0, 3), np.int64))

    @property
    def base_cells(self) -> int:
        """Return b."""
        return len(self.ancestors)

    @property
    def rows(self) -> int:
        """Return r."""
        return len(self.cost)

    def values(self, measure: int) -> Int64:
        """Return the value of each row in a measure, int64 array [r]."""
        found = np.zeros(self.rows, np.int64)
        for column in self.ancestors.T:
            np.add.at(found, column, self.measures[measure].value)
        return found

    @cached_property
    def primary(self) -> Bools:
        """Return which rows are primary: some measure requires more than they have."""
        found = np.zeros(self.rows, np.bool_)
        for number, measure in enumerate(self.measures):
            found |= measure.required > self.values(number)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """For each primary row and measure that requires it, other tables of whole numbers that agree with all that is shown.

    In one of them the row has more, and in one less if the measure requires that, too. Of rows that are known in part by
    contributors there may be several (see `CellTable.coalition`).
    """

    row: Int32  # [w]: the row whose witness it is
    measure: Int32  # [w]: the measure whose witness it is
    start: Int64  # [w + 1]: where the moves of each witness begin
    # [n]: the measure that each move changes: that of the witness, or another one with which the table would not agree
    of: Int32
    base: Int32  # [n]: base cells that change
    change: Int64  # [n]: by how much, never 0

    @classmethod
    def none(cls) -> Witnesses:
        """Return no witnesses."""
        own, nothing = np.zeros(0, np.int32), np.zeros(0, np.int64)
        return cls(row=own, measure=own, start=np.zeros(1, np.int64), of=own, base=own, change=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedCut:
    """A proven need of one primary row, the lines that it follows from, and its multiplier in the lower bound.

    A line is a row and the rows of a finer grouping set that add up to it. So the row less those others is 0 in all tables, and
    so is any sum of lines, each times a whole number. Solved for the primary row, it says what that row gains if others change.
    """

    row: int  # the primary row
    measure: int  # the measure that requires it
    # the row at the head of each line, the grouping set of the other rows, and how many times the line counts
    lines: tuple[tuple[int, int, int], ...]
    price: int  # the multiplier, in units of ``1 / scale`` (see `Suppression`), not negative


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """What a solver returns."""

    suppressed: Bools  # [r]: the rows that show nothing
    witnesses: Witnesses  # why no primary row is disclosed
    lower_bound: int  # what every suppression costs at least, proven by ``cuts`` or by ``method``
    method: str  # the argument that proves the bound
    cuts: tuple[PricedCut, ...] = ()  # evidence that anyone can check without a solver; an integer program may prove more
    scale: int = 1  # see `PricedCut.price`


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCells:
    """Rows that add up the same base cells. No base cell is negative."""

    value: Int64  # [r]: the value of each row in units of the last decimal place; 0 where it is suppressed
    hidden: Bools  # [r]: which rows are suppressed
    least: Int64  # [r]: the least value that is possible for each suppressed row
    # row, base [n]: pairs of a row and a base cell that it adds up
    row: Int64
    base: Int64
    base_cells: int  # how many base cells there are
    # [r]: which rows are in no published set, or of values that nothing shows: only whether they are small counts
    unseen: Bools
