"""Rows of people as codes: what is one for all rows of each person, and what differs from row to row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryTable:
    """The histories of people."""

    person: Int64  # [r]: for each row its person, from 0 to p - 1; rows of nobody are not part of the table
    own: Int32  # [p, a]: the person's own columns: codes from 0, and -1 for an empty cell
    facts: Int32  # [r, f]: the other quasi-identifiers of each row, coded alike

    @property
    def people(self) -> int:
        """Return p."""
        return len(self.own)

    @property
    def rows(self) -> Int64:
        """Return the number of rows of each person, int64 [p]."""
        return np.bincount(self.person, minlength=self.people)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a release shows: of a row that is not linked nothing, not even whose it is."""

    own: Bools  # [p, a]: the cells of the person's own columns, in all linked rows of the person
    facts: Bools  # [r, f]: the other cells
    linked: Bools  # [r]: the rows that show whose they are

    @classmethod
    def everything(cls, table: HistoryTable) -> Shown:
        """Return what shows each cell that has a value."""
        return cls(own=table.own >= 0, facts=table.facts >= 0, linked=np.ones(len(table.person), np.bool_))

    def cells(self, table: HistoryTable) -> tuple[Bools, Bools]:
        """Return which of the person's own cells, and which other cells, each row shows."""
        return self.own[table.person] & self.linked[:, None], self.facts & self.linked[:, None]

    def cost(self, table: HistoryTable) -> int:
        """Return the number of suppressed cells."""
        own, facts = self.cells(table)
        values = int((table.own[table.person] >= 0).sum() + (table.facts >= 0).sum())
        return values - int(own.sum() + facts.sum())
