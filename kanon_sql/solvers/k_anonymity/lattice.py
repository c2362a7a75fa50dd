"""The lattice of sets of columns: how many rows are in small classes when the same columns are shown for all rows.

These rows only become more when more columns are shown. So a counted set of columns bounds the cost of every pattern that
shows all of it, whether the set is itself a permitted pattern or not. A *core* is such a set that is remembered.

References
----------
LeFevre, DeWitt, Ramakrishnan: Incognito: Efficient Full-Domain K-Anonymity (SIGMOD 2005), the subset property.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable

_OVERHEAD = 2000
"""Row types that are counted in the time that a call takes by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeClasses:
    """The classes of k rows or more when some columns are shown for all rows."""

    member: Int32  # [q]: row types, class after class
    start: Int64  # [c + 1]: where each class begins
    rows: Int64  # [c]: rows of each class


@dataclass(slots=True, kw_only=True)
class Lattice:
    """Counts the classes of a table under sets of columns (bits of whole numbers), and remembers cores."""

    table: CodedTable  # t row types, m columns, at least k rows
    k: int  # least number of rows of a class
    most: int  # most rows that may be suppressed
    effort: int = 0  # row types counted so far: about 2 * 10^8 a second
    rows: int = field(init=False)  # rows of the table
    cost: list[int] = field(init=False)  # cost of hiding each column in one row
    order: list[int] = field(init=False)  # the columns in the order in which they are tried
    _values: list[int] = field(init=False)
    _by_column: Int32 = field(init=False)
    _cores: Words = field(init=False)
    _small: Int64 = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.table.rows
        self.cost = self.table.cost.tolist()
        self._values = self.table.cardinality.tolist()
        # Columns with many values come first: they make short cores.
        self.order = sorted(range(len(self.cost)), key=lambda column: -self._values[column])
        self._by_column = np.ascontiguousarray(self.table.codes.T)
        self._cores = np.empty(0, np.uint64)
        self._small = np.empty(0, np.int64)

    def columns(self, shown: int) -> list[int]:
        """Return the columns of a set, in the order in which they are tried."""
        return [column for column in self.order if shown >> column & 1]

    def everyone(self) -> LargeClasses:
        """Return all rows as one class."""
        member = np.arange(self.table.row_types, dtype=np.int32)
        return LargeClasses(member=member, start=np.array([0, len(member)]), rows=np.array([self.rows]))

    def finer(self, large: LargeClasses, column: int) -> LargeClasses:
        """Return what stands when one more column is shown; O(q + v) for q row types and v values of the column."""
        from kanon_sql.kernels.instances import refine

        values = self._values[column]
        self.effort += len(large.member) + values + _OVERHEAD
        codes = self._by_column[column]
        member, start, rows = refine(codes, values, self.table.weight, self.k, large.member, large.start)
        return LargeClasses(member=member, start=start, rows=rows)

    def large_classes(self, shown: int) -> LargeClasses:
        """Return what stands when a set of columns is shown."""
        large = self.everyone()
        for column in self.columns(shown):
            large = self.finer(large, column)
        return large

    def small(self, large: LargeClasses) -> int:
        """Return the rows in classes below k."""
        return self.rows - int(large.rows.sum())

    def suppressed(self, large: LargeClasses) -> int | None:
        """Return how many rows have to be suppressed so that all others stand; None if more than may be.

        They are none, or k or more. Where rows are missing they come from classes above k; where their surplus is too small,
        a class has to be given up, and the smallest one alone is enough.
        """
        least = self.small(large)
        if 0 < least < self.k:
            surplus = int(large.rows.sum()) - self.k * len(large.rows)
            least = self.k if least + surplus >= self.k else least + int(large.rows.min())
        return least if least <= self.most else None

    def hidden_cost(self, shown: int) -> int:
        """Return the cost of a row that shows a set of columns."""
        return sum(cost for column, cost in enumerate(self.cost) if not shown >> column & 1)

    def total(self, cost: int, suppressed: int) -> int:
        """Return the cost of a release: of the rows that are suppressed, and of the others at ``cost`` each."""
        return (self.rows - suppressed) * cost + suppressed * sum(self.cost)

    def fatal(self, cost: int, below: int) -> int:
        """Return how many rows in small classes keep a pattern, ``cost`` a row, from a release that costs less than ``below``.

        Not above 0 where it has none in any case.
        """
        enough = -(-(below - self.rows * cost) // max(1, sum(self.cost) - cost))
        if 0 < enough <= self.k:  # a few suppressed rows are joined by others until they are k
            enough = 1
        return min(enough, self.most + 1)

    def core(self, kept: int, large: LargeClasses, shown: int, fatal: int) -> int | None:
        """Return columns among ``shown`` that leave ``fatal`` rows in small classes; None if all of them do not.

        Parameters
        ----------
        kept : int
            Columns that may be in the core without need; of the others none is too many. Known cores are taken first, the one
            with the fewest others.
        large : LargeClasses
            What stands when ``kept`` is shown.

        Notes
        -----
        O(c) for the c cores known; else at most r (r + m) steps of `finer` for r columns that are not kept.
        """
        known = np.flatnonzero((self._cores & ~np.uint64(shown) == 0) & (self._small >= fatal))
        if len(known):
            others = np.bitwise_count(self._cores[known] & ~np.uint64(kept))
            return int(self._cores[known[np.argmin(others)]])
        core = kept
        candidates = self.columns(shown & ~kept)
        while (small := self.small(large)) < fatal:
            finer, tried = large, 0
            while self.small(finer) < fatal:
                if tried == len(candidates):
                    return None
                finer = self.finer(finer, candidates[tried])
                tried += 1
            # Without the last column the ones before are not enough, and the ones behind are not needed.
            last = candidates[tried - 1]
            candidates = candidates[: tried - 1]
            core |= 1 << last
            large = self.finer(large, last)
        self._cores = np.append(self._cores, np.uint64(core))
        self._small = np.append(self._small, small)
        return core
