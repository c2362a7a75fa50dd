"""Tables of the same people that were released before: what they show stays shown, what they suppress stays suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, cell_table, row_numbers
from kanon_sql.errors import SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_TOGETHER = "protect both in one statement with GROUPING SETS, or USING auto (earlier = 'ignore') if nobody sees both tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTable:
    """A table that was released.

    Parameters
    ----------
    tabulation, protection
        What it is, and what was asked of it.
    cells : BaseCells
        What it counts.
    suppressed : bool array [r]
        Its pattern, rows in the order of `row_numbers`.
    """

    tabulation: Tabulation
    protection: Protection
    cells: BaseCells
    suppressed: Bools

    def repeats(self, other: EarlierTable) -> bool:
        """Return whether another table asks for the same of the same base cells."""
        mine, theirs = self.tabulation, other.tabulation
        return (
            (mine.keys, mine.sums, mine.sets, mine.source) == (theirs.keys, theirs.sums, theirs.sets, theirs.source)
            and replace(self.protection, suppressed=False) == replace(other.protection, suppressed=False)
            and self.cells.same(other.cells)
        )


def related(tabulation: Tabulation, tables: Sequence[EarlierTable]) -> list[EarlierTable]:
    """Return the tables that read a table which this one reads too.

    Raises
    ------
    SourceError
        When one of them reads it in another way: the difference of the two could single people out.
    """
    found = [each for each in tables if set(each.tabulation.reads) & set(tabulation.reads)]
    for each in found:
        if each.tabulation.source != tabulation.source:
            raise SourceError(
                "a protected table with another FROM or WHERE over the same source was released before, and the difference "
                f"of the two may single people out; nothing was released; hint: {_TOGETHER}"
            )
    return found


def joint(new: EarlierTable, earlier: Sequence[EarlierTable]) -> tuple[CellTable, Int64, tuple[str, ...]]:
    """Return the system of a new table and earlier ones, where the rows of the new one are in it, and its sums.

    Parameters
    ----------
    new : EarlierTable
        The new table; its pattern is not read.
    earlier : sequence of EarlierTable
        Tables of the same source, at least one.

    Raises
    ------
    SourceError
        When the source has changed, no table has the keys of all of them, or an earlier one shows what has to be suppressed.

    Notes
    -----
    O(r log r) for each table.
    """
    every = [new, *earlier]
    keys = {key for each in every for key in each.tabulation.keys}
    sums = {each for table in every for each in table.tabulation.sums}
    finest = next((each for each in every if keys <= set(each.tabulation.keys) and sums <= set(each.tabulation.sums)), None)
    if finest is None:
        raise SourceError(
            "a protected table with other keys or sums was released before, and the two could be combined; nothing was "
            f"released; hint: {_TOGETHER}"
        )
    for each in every:
        if not _adds_up(finest, each):
            raise SourceError(
                "the source has changed since a protected table of it was released, and the difference of the two may single "
                "people out; nothing was released; hint: publish the new state under another name, or USING auto "
                "(earlier = 'ignore') if nobody sees both tables"
            )
    places = {key: place for place, key in enumerate(finest.tabulation.keys)}
    sets = tuple(dict.fromkeys(_mapped(chosen, each, places) for each in every for chosen in each.tabulation.sets))
    tabulation = replace(finest.tabulation, sets=sets, items=())
    asked = [(each.tabulation, each.protection) for each in every]
    table = cell_table(finest.cells, tabulation, asked)
    shown, suppressed, mine = table.shown.copy(), table.suppressed.copy(), np.zeros(0, np.int64)
    for each in every:
        rows = _rows_in(finest, tabulation, table, each, places)
        if each is new:
            mine = rows
            continue
        shown[rows[~each.suppressed]] = True
        suppressed[rows[each.suppressed]] = True
    table = replace(table, shown=shown, suppressed=suppressed)
    if (table.primary & shown).any():
        raise SourceError(
            "an earlier protected table shows a row that this one has to suppress; nothing was released; hint: ask for no more "
            "than of the earlier table"
        )
    return table, mine, tabulation.sums


def _mapped(chosen: Sequence[int], table: EarlierTable, places: dict[str, int]) -> tuple[int, ...]:
    """Return a grouping set of a table as keys of the finest."""
    return tuple(sorted(places[table.tabulation.keys[key]] for key in chosen))


def _adds_up(finest: EarlierTable, table: EarlierTable) -> bool:
    """Return whether the base cells of a table are those of the finest, added up."""
    if table is finest:
        return True
    columns = [finest.tabulation.keys.index(key) for key in table.tabulation.keys]
    keys, inverse = np.unique(finest.cells.keys[:, columns], axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.lexsort(table.cells.keys.T[::-1])
    if not np.array_equal(keys, table.cells.keys[order]):
        return False
    pairs = [(finest.cells.people, table.cells.people)]
    for place, text in enumerate(table.tabulation.sums):
        pairs.append((finest.cells.sums[:, finest.tabulation.sums.index(text)], table.cells.sums[:, place]))
    for fine, coarse in pairs:
        added = np.zeros(len(keys), np.int64)
        np.add.at(added, inverse, fine)
        if not np.array_equal(added, coarse[order]):
            return False
    return True


def _rows_in(
    finest: EarlierTable, tabulation: Tabulation, whole: CellTable, table: EarlierTable, places: dict[str, int]
) -> Int64:
    """Return the row of the joint table that each row of a table is."""
    ancestors, rows = row_numbers(table.cells.keys, table.tabulation.sets)
    found = np.zeros(rows, np.int64)
    for place, chosen in enumerate(table.tabulation.sets):
        mapped = _mapped(chosen, table, places)
        theirs = [table.tabulation.keys.index(finest.tabulation.keys[key]) for key in mapped]
        _, first = _distinct(table.cells.keys[:, theirs])
        _, other = _distinct(finest.cells.keys[:, list(mapped)])
        found[ancestors[first, place]] = whole.ancestors[other, tabulation.sets.index(mapped)]
    return found


def _distinct(keys: Int64) -> tuple[Int64, Int64]:
    """Return the distinct keys in their order, and where each is first."""
    if keys.shape[1] == 0:
        return keys[:1], np.zeros(1, np.int64)
    found, first = np.unique(keys, axis=0, return_index=True)
    return found, first
