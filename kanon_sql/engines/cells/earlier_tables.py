"""Tables of the same people that were released before: what they show stays shown, what they suppress stays suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, cell_table, row_numbers
from kanon_sql.engines.cells.counting import Counting, added_up
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import same_name
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_TOGETHER = "protect both in one statement with GROUPING SETS, or USING auto (earlier = 'ignore') if nobody sees both tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTable:
    """A table that was released.

    Parameters
    ----------
    counting, protection
        What it is, and what was asked of it.
    cells : BaseCells
        What it counts.
    suppressed : bool array [r]
        Its pattern, rows in the order of `row_numbers`.
    """

    counting: Counting
    protection: Protection
    cells: BaseCells
    suppressed: Bools

    @property
    def tabulation(self) -> Tabulation:
        """Return its shape."""
        return self.counting.tabulation

    def repeats(self, other: EarlierTable) -> bool:
        """Return whether another table asks for the same of the same base cells."""
        mine, theirs = self.tabulation, other.tabulation
        return (
            (mine.keys, mine.sums, mine.sets, mine.source) == (theirs.keys, theirs.sums, theirs.sets, theirs.source)
            and replace(self.protection, suppressed=False) == replace(other.protection, suppressed=False)
            and self.cells.same(other.cells)
        )


def related(new: EarlierTable, tables: Sequence[EarlierTable]) -> list[EarlierTable]:
    """Return the tables that read a table which the new one reads too.

    Raises
    ------
    SourceError
        When one of them reads it in another way: the difference of the two could single people out.
    """
    found = [each for each in tables if set(each.tabulation.reads) & set(new.tabulation.reads)]
    for each in found:
        if each.tabulation.source != new.tabulation.source:
            raise SourceError(
                "a protected table with another FROM or WHERE over the same source was released before, and the difference "
                f"of the two may single people out; nothing was released; hint: {_TOGETHER}"
            )
        if same_name(each.protection.per or "") != same_name(new.protection.per or ""):
            raise SourceError(
                "a protected table that counts other people was released before, and the two could be combined; nothing was "
                "released; hint: count people by the same column in both, or USING auto (earlier = 'ignore') if nobody sees "
                "both tables"
            )
    return found


def joint(
    new: Sequence[EarlierTable], cells: BaseCells, counting: Counting, earlier: Sequence[EarlierTable]
) -> tuple[CellTable, list[Int64]]:
    """Return the system of new tables and earlier ones, and where the rows of each new one are in it.

    Parameters
    ----------
    new : sequence of EarlierTable
        The new tables, at least one; their patterns are not read.
    cells, counting
        Base cells of which all of the tables are sums.
    earlier : sequence of EarlierTable
        Tables of the same source.

    Raises
    ------
    PolicyError
        When a row has to be shown and suppressed.
    SourceError
        When the source has changed, the base cells lack a key of an earlier table, or that shows what has to be suppressed.

    Notes
    -----
    O(r log r) for each table.
    """
    finest = counting.tabulation
    if any(
        not set(each.tabulation.keys) <= set(finest.keys)
        or not set(each.tabulation.sums) <= set(finest.sums)
        or each.protection.largest > counting.largest
        for each in earlier
    ):
        raise SourceError(
            "a protected table with other keys or sums was released after this statement was prepared, and the two could be "
            "combined; nothing was released; hint: prepare the statement, or create the view, again"
        )
    for each in earlier:
        if not _adds_up(cells, finest, each):
            raise SourceError(
                "the source has changed since a protected table of it was released, and the difference of the two may single "
                "people out; nothing was released; hint: publish the new state under another name, or USING auto "
                "(earlier = 'ignore') if nobody sees both tables"
            )
    every = [*new, *earlier]
    places = {key: place for place, key in enumerate(finest.keys)}
    sets = tuple(dict.fromkeys(_mapped(chosen, each, places) for each in every for chosen in each.tabulation.sets))
    tabulation = replace(finest, sets=sets, items=())
    table = cell_table(cells, tabulation, [(each.tabulation, each.protection) for each in every])
    refuse_shown(table)
    shown, suppressed = table.shown.copy(), table.suppressed.copy()
    for each in earlier:
        rows = _rows_in(cells, tabulation, table, each, places)
        shown[rows[~each.suppressed]] = True
        suppressed[rows[each.suppressed]] = True
    table = replace(table, shown=shown, suppressed=suppressed)
    if (table.primary & shown).any():
        raise SourceError(
            "an earlier protected table shows a row that this one has to suppress; nothing was released; hint: ask for no more "
            "than of the earlier table"
        )
    return table, [_rows_in(cells, tabulation, table, each, places) for each in new]


def refuse_shown(table: CellTable) -> None:
    """Refuse a table that has to show a row of too few people.

    Raises
    ------
    PolicyError
        When there is such a row.
    """
    if (table.primary & table.shown).any():
        raise PolicyError("SHOW names a grouping set with a row of too few people; hint: leave it out of SHOW")


def _mapped(chosen: Sequence[int], table: EarlierTable, places: dict[str, int]) -> tuple[int, ...]:
    """Return a grouping set of a table as keys of the finest."""
    return tuple(sorted(places[table.tabulation.keys[key]] for key in chosen))


def _adds_up(cells: BaseCells, finest: Tabulation, table: EarlierTable) -> bool:
    """Return whether the base cells of a table are those of the finest, added up."""
    shape = table.tabulation
    keys = [finest.keys.index(key) for key in shape.keys]
    sums = [finest.sums.index(text) for text in shape.sums]
    return added_up(cells, keys, sums, 0).same(table.cells)


def _rows_in(cells: BaseCells, tabulation: Tabulation, whole: CellTable, table: EarlierTable, places: dict[str, int]) -> Int64:
    """Return the row of the joint table that each row of a table is."""
    ancestors, rows = row_numbers(table.cells.keys, table.tabulation.sets)
    found = np.zeros(rows, np.int64)
    for place, chosen in enumerate(table.tabulation.sets):
        mapped = _mapped(chosen, table, places)
        theirs = [table.tabulation.keys.index(tabulation.keys[key]) for key in mapped]
        _, first = _distinct(table.cells.keys[:, theirs])
        _, other = _distinct(cells.keys[:, list(mapped)])
        found[ancestors[first, place]] = whole.ancestors[other, tabulation.sets.index(mapped)]
    return found


def _distinct(keys: Int64) -> tuple[Int64, Int64]:
    """Return the distinct keys in their order, and where each is first."""
    if keys.shape[1] == 0:
        return keys[:1], np.zeros(1, np.int64)
    found, first = np.unique(keys, axis=0, return_index=True)
    return found, first
