"""Where the rows of a table are in the system of several tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable


class RowsOfTables:
    """The places of keys and rows in a system.

    Parameters
    ----------
    cells : BaseCells
        The base cells of the system.
    finest : Tabulation
        Its keys.
    """

    def __init__(self, cells: BaseCells, finest: Tabulation) -> None:
        self._cells, self._finest = cells, finest

    def meeting(self, shape: Tabulation) -> Bools:
        """Return which base cells meet the condition of a table."""
        conditions = [self._finest.keys.index(text) for text in shape.conditions if text in self._finest.keys]
        met: Bools = (self._cells.keys[:, conditions] == 1).all(axis=1)
        return met

    def published(self, shape: Tabulation) -> list[PublishedSet]:
        """Return the grouping sets of a table as keys of the system, with its condition."""
        outer = tuple(self._finest.keys.index(text) for text in shape.conditions if text in self._finest.keys)
        keys = [self._finest.keys.index(key) for key in shape.keys]
        found = []
        for chosen, filters in shape.groups:
            found.append(
                PublishedSet(
                    keys=tuple(sorted({*(keys[key] for key in chosen), *outer})),
                    conditions=(*outer, *(keys[key] for key in filters)),
                    sums=bool(shape.sums),
                    stays=bool(filters),
                )
            )
        return found

    def codes(self, shape: Tabulation) -> list[Int64]:
        """Return for each key of a table the numbers that its values have in the system, in their order."""
        met = self.meeting(shape) & (self._cells.people > 0)
        places = [self._finest.keys.index(key) for key in shape.keys]
        return [np.unique(self._cells.keys[met, place]) for place in places]

    def rows(self, table: CellTable, shape: Tabulation, own: BaseCells, places: Mapping[tuple[int, ...], int]) -> Int64:
        """Return the row of the system that each row of a table is, -1 where the system lacks it.

        Parameters
        ----------
        shape, own
            The table and its base cells. Its rows are in the order of `row_numbers` of its groups.
        places : mapping
            The place of each grouping set in the system.
        """
        ancestors, rows = row_numbers(own.keys, [chosen for chosen, _ in shape.groups])
        found = np.full(rows, -1, np.int64)
        codes, ranks, inside = self.codes(shape), own.ranks, self.meeting(shape)
        known = self._cells.keys[inside]
        for place, each in enumerate(self.published(shape)):
            theirs = [key for key in each.keys if self._finest.keys[key] in shape.keys]
            mine = [shape.keys.index(self._finest.keys[key]) for key in theirs]
            wanted = np.stack([codes[key][ranks[:, key]] for key in mine], axis=1) if mine else ranks[:, :0]
            at = _first_alike(known[:, theirs], wanted)
            at, which = at[at >= 0], at >= 0
            found[ancestors[which, place]] = table.ancestors[np.flatnonzero(inside)[at], places[each.keys]]
        return found


def _first_alike(known: Int64, wanted: Int64) -> Int64:
    """Return for each of some keys the first of the known ones that is the same, -1 where there is none."""
    numbers, groups = row_numbers(np.concatenate((known, wanted)), [tuple(range(known.shape[1]))])
    first = np.full(groups, -1, np.int64)
    of = numbers[: len(known), 0]
    first[of[::-1]] = np.arange(len(known))[::-1]
    found: Int64 = first[numbers[len(known) :, 0]]
    return found
