"""Facts: what the published rows say of regions, and that the rows of a table list all values of a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kanon_sql.model.published_table import PublishedRow, PublishedTable
from kanon_sql.solvers.ledger.universe import Region, RowRegion, Source, Universe


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A region, without some parts of it, has so many people.

    Attributes
    ----------
    sources : tuple of Source
        The rows that say so: one, or two of which one gives each bound. Of a completeness, the row that is the total.
    closes : str or None
        Of a completeness: the key whose values are all listed. Nobody is in the total and in none of its rows.
    """

    region: Region
    without: tuple[Region, ...] = ()
    lower: int
    upper: int | None
    sources: tuple[Source, ...]
    closes: str | None = None

    @property
    def columns(self) -> set[int]:
        """Return the columns that the fact restricts."""
        return {column for region in (self.region, *self.without) for column, _ in region}


def facts(universe: Universe, tables: Sequence[PublishedTable]) -> list[Fact]:
    """Return what all rows say: one fact for each region, and the completeness of tables that add up."""
    by_region: dict[Region, list[RowRegion]] = defaultdict(list)
    for row in universe.rows:
        by_region[row.region].append(row)
    found = []
    for region, rows in by_region.items():
        low = max(rows, key=lambda row: row.lower)
        high = min(rows, key=lambda row: (row.upper is None, row.upper or 0))
        both = [row for row in rows if (row.lower, row.upper) == (low.lower, high.upper)]
        sources = (both[0].source,) if both else (low.source, high.source)
        possible = all(values for _, values in region)
        if possible:
            found.append(Fact(region=region, lower=low.lower, upper=high.upper, sources=sources))
    regions = {row.source: row.region for row in universe.rows}
    for number, table in enumerate(tables):
        if not table.absent:
            found += _complete(number, table, regions)
    return found


def _complete(number: int, table: PublishedTable, regions: dict[Source, Region]) -> Iterator[Fact]:
    """Yield for each total of a table that nobody is missing in the rows below it, unless the counts show the contrary."""
    for place, key in enumerate(table.keys):
        below: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
        for row, each in enumerate(table.rows):
            if each.keys[place] is not None:
                below[(*each.keys[:place], None, *each.keys[place + 1 :])].append(row)
        totals = [row for row, each in enumerate(table.rows) if below.get(each.keys)]
        if all(_may_add_up(table.rows[row], [table.rows[each] for each in below[table.rows[row].keys]]) for row in totals):
            for row in totals:
                source = Source(number, row)
                without = tuple(sorted({regions[Source(number, each)] for each in below[table.rows[row].keys]}))
                if all(values for _, values in regions[source]):
                    without = tuple(each for each in without if all(values for _, values in each))
                    yield Fact(region=regions[source], without=without, lower=0, upper=0, sources=(source,), closes=key)


def _may_add_up(total: PublishedRow, rows: Sequence[PublishedRow]) -> bool:
    uppers = [row.upper for row in rows]
    return None in uppers or sum(upper for upper in uppers if upper is not None) >= total.lower
