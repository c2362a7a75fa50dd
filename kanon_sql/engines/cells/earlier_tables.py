"""Tables of the same people that were released before: what they show stays shown, what they suppress stays suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.counting import Counting, counted_for
from kanon_sql.engines.cells.derived_sets import derived_sets
from kanon_sql.engines.cells.empty_rows import EmptyRows
from kanon_sql.engines.cells.named_rows import impossible_cells, refuse_impossible, relate_impossible
from kanon_sql.engines.cells.possible_cells import with_possible_cells
from kanon_sql.engines.cells.published_set import OwnSets
from kanon_sql.engines.cells.published_system import published_system, shown_sets
from kanon_sql.engines.cells.related_keys import components, related_keys
from kanon_sql.engines.cells.rows_of_tables import RowsOfTables
from kanon_sql.engines.cells.unlikely_pairs import UnlikelyPairs
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import same_name
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_ALONE = (
    "set earlier = 'ignore' if nobody sees both tables (USING auto (earlier = 'ignore') in the clause, or --earlier ignore)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTable:
    """A table that was released."""

    counting: Counting  # the table
    protection: Protection  # its requirement
    cells: BaseCells  # what it counts, then cells that nobody has and that make its empty rows
    suppressed: Bools  # [r]: its pattern, rows in the order of `row_numbers` of its groups

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
    """The system of several tables."""

    table: CellTable  # the system
    places: dict[tuple[int, ...], int]  # the place of each of its grouping sets, by its keys
    cells: BaseCells  # the base cells, those that nobody has last
    counting: Counting  # the keys of the base cells
    new: Sequence[EarlierTable]
    earlier: Sequence[EarlierTable]
    joined_sets: list[tuple[int, ...]]  # the keys of its grouping sets that no table has

    def rows_of(self, table: EarlierTable) -> Int64:
        """Return where the rows of a table are in the system, -1 where it lacks an empty row."""
        places = RowsOfTables(self.cells, self.counting.tabulation)
        return places.rows(self.table, table.tabulation, table.cells, self.places)

    def groups(self, rows: Int64) -> list[tuple[int, tuple[int, ...]]]:
        """Return some rows, each by a base cell and the keys of its grouping set."""
        keys = {place: keys for keys, place in self.places.items()}
        cells = [np.argwhere(self.table.ancestors == row)[0] for row in np.unique(rows)]
        return [(int(cell), keys[int(place)]) for cell, place in cells]

    def with_empty_rows(self, table: EarlierTable) -> EarlierTable:
        """Return a new table with the cells of its empty rows."""
        finest, own, shape = self.counting.tabulation, RowsOfTables(self.cells, self.counting.tabulation), table.tabulation
        plain = [self.places[each.keys] for each in own.published(shape)[: len(shape.sets)]]
        nobody = self.table.values(0)[self.table.ancestors[:, plain]] == 0
        keys = self.cells.keys[nobody.any(axis=1) & own.meeting(shape)]
        codes = [
            np.unique(column)[np.searchsorted(each, keys[:, finest.keys.index(key)])]
            for key, each, column in zip(shape.keys, own.codes(shape), table.cells.keys.T, strict=True)
        ]
        return replace(table, cells=table.cells.with_nobody(np.unique(np.stack(codes, axis=1), axis=0)))

    def missing(self, pattern: Bools) -> Int64:
        """Return the keys of cells that nobody has and that give suppressed rows cover, see `EmptyRows`.

        Parameters
        ----------
        pattern : bool array [r]
            The rows that are suppressed.
        """
        finest, places = self.counting.tabulation, RowsOfTables(self.cells, self.counting.tabulation)
        tables, wanted = list[OwnSets](), list[tuple[int, dict[int, int]]]()
        for number, each in enumerate((*self.new, *self.earlier)):
            shape, somebody = each.tabulation, len(each.cells.people) > 0  # a table without rows shows that nobody is in it
            tables.append(
                OwnSets(
                    sets=places.published(shape),
                    plain=len(shape.sets),
                    meets=places.meeting(shape),
                    shown=shown_sets(self.places, finest, [(shape, each.protection)]),
                    new=number < len(self.new) and somebody,
                    absent=each.protection.rows == "absent" and somebody,
                )
            )
            lacking = each.cells.ranks[_cells_of(each, self.rows_of(each) < 0)]
            outer = {finest.keys.index(text): 1 for text in shape.conditions if text in finest.keys}
            columns = [codes[column] for codes, column in zip(places.codes(shape), lacking.T, strict=True)]
            own = [finest.keys.index(key) for key in shape.keys]
            wanted += [(number, outer | dict(zip(own, map(int, keys), strict=True))) for keys in zip(*columns, strict=True)]
        related = related_keys(self.cells.counted.keys, self.counting.keys, self.counting.everybody)
        parts = components(related, range(len(related)))
        requested = [(each.tabulation, each.protection) for each in (*self.new, *self.earlier)]
        some = any(protection.impossible for _, protection in requested)
        impossible = partial(impossible_cells, tabulation=finest, requested=requested) if some else None
        unlikely = cache(partial(UnlikelyPairs, self.cells))  # few tables ask
        return EmptyRows(self.table, self.places, self.cells, parts, tables, pattern, unlikely, impossible).missing(wanted)


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
                "a table with the same columns and number of rows was protected under a different name and may be the same "
                f"source; nothing was released; hint: read the source under its old name, or {_ALONE}"
            )
        if each.tabulation.source != new.tabulation.source:
            raise SourceError(
                "this source was protected before with a different FROM, and the difference between the two tables may single "
                f"people out; nothing was released; hint: use the same FROM for both tables, or {_ALONE}"
            )
        if same_name(each.protection.per or "") != same_name(new.protection.per or ""):
            raise SourceError(
                "an earlier protected table counts people by a different column, and an attacker could combine both tables; "
                f"nothing was released; hint: count people by the same column in both tables, or {_ALONE}"
            )
    return found


def joint(
    new: Sequence[EarlierTable],
    cells: BaseCells,
    counting: Counting,
    earlier: Sequence[EarlierTable],
    empty: Int64 | None = None,
    strict: Sequence[tuple[int, tuple[int, ...]]] = (),
) -> JointSystem:
    """Return the system of new tables and earlier ones.

    Parameters
    ----------
    new : sequence of EarlierTable
        The new tables, at least one; their patterns are not read.
    cells, counting
        Base cells of which all of the tables are sums.
    earlier : sequence of EarlierTable
        Tables of the same source.
    empty : int64 array [n, d], optional
        The keys of cells that nobody has and that make empty rows.
    strict : sequence of (int, tuple of int)
        Groups, by a base cell and their keys, that a table without people does not protect.

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
            "a protected table with different keys, sums or conditions was released after this statement was prepared, and "
            "the two could be combined; nothing was released; hint: prepare the statement or create the view again"
        )
    for each in earlier:
        if not counted_for(replace(each.counting, largest=0), cells, counting).same(each.cells.counted):
            raise SourceError(
                "the source has changed since an earlier protected table was released, and the difference between the two "
                "tables may single people out; nothing was released; hint: publish the new state under a different name, or "
                f"{_ALONE}"
            )
    every = [*new, *earlier]
    requested = [(each.tabulation, each.protection) for each in every]
    refuse_impossible(cells, finest, requested)
    sets = [each for table in every for each in RowsOfTables(cells, finest).published(table.tabulation)]
    somebody = len(cells.people) > 0
    derived, known = derived_sets(cells.keys, [each.keys for each in sets]) if somebody else [], list[set[int]]()
    if derived or (somebody and any(each.conditions for each in sets)):
        known = related_keys(cells.keys, counting.keys, counting.everybody)
        cells = with_possible_cells(cells, known, sets)
        unlikely = UnlikelyPairs(cells)
        cells = cells.some(np.flatnonzero(~impossible_cells(cells.keys, finest, requested) & ~unlikely.has(cells.keys)))
        # people cannot exchange values if the new combinations are impossible
        unlikely.relate(known)
        relate_impossible(known, finest, requested)
    cells = cells if empty is None else cells.with_nobody(empty)
    table, places = published_system(cells, finest, sets, derived, known, requested, strict)
    refuse_shown(table)
    published = {each.keys for each in sets}
    system = JointSystem(
        table=table,
        places=places,
        cells=cells,
        counting=counting,
        new=new,
        earlier=earlier,
        joined_sets=[each for each in places if each not in published],
    )
    shown, suppressed = table.shown.copy(), table.suppressed.copy()
    for each in earlier:
        rows = system.rows_of(each)
        shown[rows[(rows >= 0) & ~each.suppressed]] = True
        suppressed[rows[(rows >= 0) & each.suppressed]] = True
    if (table.primary & shown).any():
        raise SourceError(
            "an earlier protected table shows a row that this one must suppress; nothing was released; hint: use conditions "
            "no stricter than those of the earlier table"
        )
    return replace(system, table=replace(table, shown=shown, suppressed=suppressed))


def refuse_shown(table: CellTable) -> None:
    """Refuse a table that has to show a row of too few people.

    Raises
    ------
    PolicyError
        When there is such a row.
    """
    if (table.primary & table.shown).any():
        raise PolicyError(
            "SHOW lists a grouping set that contains a HIDE row or a row with too few people; hint: remove the set from SHOW"
        )


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


def _cells_of(table: EarlierTable, rows: Bools) -> Int64:
    """Return the base cells that some rows of a table add up."""
    if not rows.any():
        return np.zeros(0, np.int64)
    ancestors, _ = row_numbers(table.cells.keys, [chosen for chosen, _ in table.tabulation.groups])
    return np.flatnonzero(rows[ancestors].any(axis=1))
