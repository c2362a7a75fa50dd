"""How many people of the source have a row that could show the same: no release can do better."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.histories.known_sets import numbered
from kanon_sql.table.arrays import Int64
from kanon_sql.table.history_table import HistoryTable


class Support:
    """For each row and each choice of columns, the people who have a row with these values.

    Parameters
    ----------
    table : HistoryTable
        The source.

    Notes
    -----
    A choice is computed when it is first needed, in O(r log r), and kept. Columns are bits: the person's own first.
    """

    def __init__(self, table: HistoryTable) -> None:
        self._table = table
        self._codes = np.hstack([table.own[table.person], table.facts])
        self._known: dict[int, Int64] = {}

    def of(self, chosen: int) -> Int64:
        """Return the people for each row, 0 for a row that has no value in one of the columns."""
        if chosen not in self._known:
            columns = [place for place in range(self._codes.shape[1]) if chosen >> place & 1]
            full = np.flatnonzero((self._codes[:, columns] >= 0).all(axis=1))
            same = numbered(self._codes[full][:, columns])
            people = self._table.people
            each = np.unique(same * people + self._table.person[full]) // max(people, 1)
            found = np.zeros(len(self._codes), np.int64)
            found[full] = np.bincount(each, minlength=1)[same] if len(full) else 0
            self._known[chosen] = found
        return self._known[chosen]
