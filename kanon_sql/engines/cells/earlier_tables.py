"""Tables of the same people that were released before: what they show stays shown, what they suppress stays suppressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.counting import Counting, counted_for
from kanon_sql.engines.cells.derived_sets import derived_sets
from kanon_sql.engines.cells.possible_cells import with_possible_cells
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.engines.cells.published_system import published_system
from kanon_sql.engines.cells.related_keys import related_keys
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import same_name
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_ALONE = "earlier = 'ignore' (USING auto (earlier = 'ignore') in the clause) if nobody sees both tables"


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
        Its pattern, rows in the order of `row_numbers` of its groups.
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
        return (
            self.tabulation.repeats(other.tabulation)
            and replace(self.protection, suppressed=False) == replace(other.protection, suppressed=False)
            and self.cells.same(other.cells)
        )

    def same(self, other: EarlierTable) -> bool:
        """Return whether another table also suppresses the same rows."""
        return self.repeats(other) and np.array_equal(self.suppressed, other.suppressed)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSystem:
    """The system of several tables.

    Parameters
    ----------
    table : CellTable
        The system.
    rows : list of int64 array
        For each new table, where its rows are in it.
    cells : BaseCells
        The base cells, those that nobody has last.
    joined_sets : list of tuple of int
        The keys of its grouping sets that no table has.
    """

    table: CellTable
    rows: list[Int64]
    cells: BaseCells
    joined_sets: list[tuple[int, ...]]


def related(new: EarlierTable, tables: Sequence[EarlierTable]) -> list[EarlierTable]:
    """Return the tables that read a table which the new one reads too.

    Raises
    ------
    SourceError
        When one of them reads it in another way, so that the people of both cannot be compared.
    """
    found = [each for each in tables if each.tabulation.meets(new.tabulation)]
    for each in found:
        if not each.tabulation.meets(new.tabulation, fingerprints=False):
            raise SourceError(
                "a table with equal columns and as many rows, under another name, was protected before, and seems to be the "
                f"same source; nothing was released; hint: read the source under its old name, or {_ALONE}"
            )
        if each.tabulation.source != new.tabulation.source:
            raise SourceError(
                "a protected table with another FROM over the same source was released before, and the difference of the two "
                f"may single people out; nothing was released; hint: read the same FROM in both, or {_ALONE}"
            )
        if same_name(each.protection.per or "") != same_name(new.protection.per or ""):
            raise SourceError(
                "a protected table that counts other people was released before, and the two could be combined; nothing was "
                f"released; hint: count people by the same column in both, or {_ALONE}"
            )
    return found


def joint(new: Sequence[EarlierTable], cells: BaseCells, counting: Counting, earlier: Sequence[EarlierTable]) -> JointSystem:
    """Return the system of new tables and earlier ones.

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
    if any(not _is_counted(each, counting) for each in earlier):
        raise SourceError(
            "a protected table with other keys, sums or conditions was released after this statement was prepared, and the two "
            "could be combined; nothing was released; hint: prepare the statement, or create the view, again"
        )
    for each in earlier:
        if not counted_for(replace(each.counting, largest=0), cells, counting).same(each.cells):
            raise SourceError(
                "the source has changed since a protected table of it was released, and the difference of the two may single "
                f"people out; nothing was released; hint: publish the new state under another name, or {_ALONE}"
            )
    every = [*new, *earlier]
    sets = [each for table in every for each in _published(table, finest)]
    derived, known = derived_sets(cells.keys, [each.keys for each in sets]), list[set[int]]()
    if derived or any(each.conditions for each in sets):
        known = related_keys(cells.keys, counting.keys)
        cells = with_possible_cells(cells, known, sets)
    table, places = published_system(
        cells, finest, sets, derived, known, [(each.tabulation, each.protection) for each in every]
    )
    refuse_shown(table)
    shown, suppressed = table.shown.copy(), table.suppressed.copy()
    for each in earlier:
        rows = _rows_in(cells, counting, table, each, places)
        shown[rows[~each.suppressed]] = True
        suppressed[rows[each.suppressed]] = True
    table = replace(table, shown=shown, suppressed=suppressed)
    if (table.primary & shown).any():
        raise SourceError(
            "an earlier protected table shows a row that this one has to suppress; nothing was released; hint: ask for no more "
            "than of the earlier table"
        )
    published = {each.keys for each in sets}
    return JointSystem(
        table=table,
        rows=[_rows_in(cells, counting, table, each, places) for each in new],
        cells=cells,
        joined_sets=[each for each in places if each not in published],
    )


def refuse_shown(table: CellTable) -> None:
    """Refuse a table that has to show a row of too few people.

    Raises
    ------
    PolicyError
        When there is such a row.
    """
    if (table.primary & table.shown).any():
        raise PolicyError("SHOW names a grouping set with a row of too few people; hint: leave it out of SHOW")


def _is_counted(table: EarlierTable, counting: Counting) -> bool:
    """Return whether the base cells of a counting have the keys, sums and contributions of a table."""
    finest, shape = counting.tabulation, table.tabulation
    whole = counting.condition is not None or not finest.condition  # else only rows that meet the condition are there
    return (
        (whole or shape.condition == finest.condition)
        and {*shape.keys, *(shape.conditions if whole else ())} <= set(finest.keys)
        and set(shape.sums) <= set(finest.sums)
        and table.protection.largest <= counting.largest
    )


def _published(table: EarlierTable, finest: Tabulation) -> list[PublishedSet]:
    """Return the grouping sets of a table as keys of the finest, with its condition."""
    outer = tuple(finest.keys.index(text) for text in table.tabulation.conditions if text in finest.keys)
    keys = [finest.keys.index(key) for key in table.tabulation.keys]
    found = []
    for chosen, filters in table.tabulation.groups:
        conditions = (*outer, *(keys[key] for key in filters))
        found.append(
            PublishedSet(
                keys=tuple(sorted({*(keys[key] for key in chosen), *outer})),
                conditions=conditions,
                sums=bool(table.tabulation.sums),
            )
        )
    return found


def _rows_in(
    cells: BaseCells, counting: Counting, whole: CellTable, table: EarlierTable, places: Mapping[tuple[int, ...], int]
) -> Int64:
    """Return the row of the joint table that each row of a table is."""
    finest = counting.tabulation
    ancestors, rows = row_numbers(table.cells.keys, [chosen for chosen, _ in table.tabulation.groups])
    found = np.zeros(rows, np.int64)
    outer = [finest.keys.index(text) for text in table.tabulation.conditions if text in finest.keys]
    meets = np.flatnonzero((cells.people > 0) & (cells.keys[:, outer] == 1).all(axis=1))
    for place, each in enumerate(_published(table, finest)):
        theirs = [key for key in each.keys if key not in outer]
        own = [table.tabulation.keys.index(finest.keys[key]) for key in theirs]
        _, first = _distinct(table.cells.keys[:, own])
        _, other = _distinct(cells.keys[meets][:, theirs])
        found[ancestors[first, place]] = whole.ancestors[meets[other], places[each.keys]]
    return found


def _distinct(keys: Int64) -> tuple[Int64, Int64]:
    """Return the distinct keys in their order, and where each is first."""
    if keys.shape[1] == 0:
        return keys[:1], np.zeros(1, np.int64)
    found, first = np.unique(keys, axis=0, return_index=True)
    return found, first
