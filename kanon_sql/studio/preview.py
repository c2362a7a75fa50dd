"""What a recoding makes of the values of a column, counted over all rows, before anything is released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.gather.from_items import hierarchy
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.recodings import Digits, Generalization, Intervals, Levels, coded_ends, has_fixed_labels, shows_values
from kanon_sql.model.validation import as_identifier, named_file
from kanon_sql.studio.recoding_choices import level_words
from kanon_sql.studio.rows import brief
from kanon_sql.studio.source import K
from kanon_sql.table.labels.digits import digit_levels
from kanon_sql.table.labels.intervals import interval_levels
from kanon_sql.table.labels.levels import hierarchy_levels
from kanon_sql.table.ladder import Label

if TYPE_CHECKING:
    from kanon_sql.studio.source import Source

SHOWN = 10
"""Values that a preview shows."""

_VALUES = "SELECT DISTINCT CAST({column} AS VARCHAR) AS value FROM {table} WHERE {column} IS NOT NULL"

_COUNTED = """CREATE TEMP TABLE "kanon#counted" AS
    SELECT labels.*, person, system.main.count(*) AS n
    FROM (SELECT CAST({column} AS VARCHAR) AS value, {person} AS person FROM {table})
    JOIN "kanon#labels" AS labels ON value = l0 GROUP BY ALL"""

_LEVEL = """CREATE TEMP TABLE "kanon#level{level}" AS
    SELECT l{level} AS label, {people} AS people, system.main.min(person) AS person FROM "kanon#counted" GROUP BY label"""

_FIGURES = """SELECT system.main.count(*), {alone} FILTER (people = 1) FROM "kanon#level{level}" """

_PEOPLE = 'SELECT {people} FROM "kanon#counted"'

_ROWS = """SELECT {labels} FROM "kanon#counted" AS counted {joined}
    GROUP BY {places} HAVING {named}
    ORDER BY system.main.sum(n) DESC NULLS LAST, system.main.list_value({places}) ASC NULLS LAST LIMIT {most}"""

_BELOW = """SELECT coalesce(system.main.sum(people) FILTER (people < $k), 0) / system.main.greatest(system.main.sum(people), 1)
    FROM (SELECT {people} AS people FROM (SELECT *, {person} AS person FROM {table})
          JOIN "kanon#labels" ON CAST({column} AS VARCHAR) = l0 GROUP BY {by})"""


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """What is counted of a level."""

    name: str  # in words
    shown: bool  # whether a release may show it
    labels: int  # different labels
    alone: int  # people, or rows, with a label of their own


@dataclass(frozen=True, slots=True)
class Preview:
    """The levels of a recoding, the values first, and a few rows of them."""

    people: int  # people, or rows, with a value
    levels: tuple[LevelFigures, ...]
    rows: tuple[tuple[str | None, ...], ...]  # labels of each level; None where fewer than `K` people, or rows, share one


class Labelled:
    """All values of a column with their labels, in a connection of its own.

    Parameters
    ----------
    person : str, optional
        The column that tells people apart; without one, rows are counted.
    folder : Path, optional
        Where a hierarchy is that the recoding names without a folder.

    Raises
    ------
    PolicyError
        When the column cannot be generalized so.
    """

    def __init__(
        self, source: Source, column: str, recoding: Generalization | None, person: str | None, folder: Path | None = None
    ) -> None:
        self.person = person
        self.slots = {
            "column": quoted(column),
            "table": quoted(source.name),
            "person": "NULL" if person is None else quoted(person),
        }
        con = source.con.cursor()
        with closing(con):
            texts = con.sql(_VALUES.format(**self.slots)).to_arrow_table().column("value").to_pylist()
            levels, self.exact = _levels(con, texts, recoding, folder)
        self.names = ("Value", *levels)
        self._columns = {f"l{place}": labels for place, labels in enumerate((texts, *levels.values()))}
        self._source = source

    def preview(self) -> Preview:
        """Return the figures of each level and a few rows: one join with the table, and a GROUP BY a level."""
        counted = "system.main.sum(n)" if self.person is None else "system.main.count(DISTINCT person)"
        alone = "system.main.count(*)" if self.person is None else "system.main.count(DISTINCT person)"
        with self._connection() as con:
            con.execute(_COUNTED.format(**self.slots))
            levels = []
            for level, name in enumerate(self.names):
                con.execute(_LEVEL.format(level=level, people=counted))
                labels, single = con.execute(_FIGURES.format(level=level, alone=alone)).fetchone()
                levels.append(LevelFigures(name, self.exact if level == 0 else True, labels, single))
            people = con.execute(_PEOPLE.format(people=counted)).fetchone()[0]
            rows = con.execute(self._rows(), {"least": K}).fetchall()
        return Preview(
            people or 0, tuple(levels), tuple(tuple(None if each is None else brief(each) for each in row) for row in rows)
        )

    def share_below(self, k: int, by: Sequence[str] = ()) -> float:
        """Return the share of people, or rows, in groups of fewer than k by the coarsest label and other columns."""
        counted = "system.main.count(*)" if self.person is None else "system.main.count(DISTINCT person)"
        grouped = ", ".join([f"l{len(self.names) - 1}", *map(quoted, by)])
        with self._connection() as con:
            return float(con.execute(_BELOW.format(people=counted, by=grouped, **self.slots), {"k": k}).fetchone()[0])

    def _connection(self) -> Any:
        import pyarrow as pa

        con = self._source.con.cursor()
        con.register("kanon#labels", pa.table({name: pa.array(labels, pa.string()) for name, labels in self._columns.items()}))
        return closing(con)

    def _rows(self) -> str:
        """Return the query of the most frequent labels; those that few share are NULL, so nobody is shown."""
        levels = range(len(self.names))
        cases = [f"CASE WHEN level{level}.people >= $least THEN l{level} END" for level in levels]
        joins = [f'JOIN "kanon#level{level}" AS level{level} ON l{level} = level{level}.label' for level in levels]
        return _ROWS.format(
            labels=", ".join(cases),
            joined=" ".join(joins),
            places=", ".join(str(level + 1) for level in levels),
            named=f"coalesce({', '.join(cases)}) IS NOT NULL",
            most=SHOWN,
        )


def _levels(
    con: Any, texts: Sequence[Label], recoding: Generalization | None, folder: Path | None
) -> tuple[Mapping[str, Sequence[Label]], bool]:
    """Return the labels of each value by the words of their level, and whether the value itself may be shown.

    There are none if the labels depend on the rows of a group, not on the value alone.
    """
    if not has_fixed_labels(recoding):
        return {}, True
    match recoding:
        case Digits(shown=shown):
            levels, exact, _ = digit_levels(texts, shown)
            return {f"First {number}": labels for number, labels in levels.items()}, exact
        case Levels(table=table, levels=chosen):
            file = named_file(table)
            if file is not None and folder is not None:
                table = as_identifier(str(folder / file))
            columns = con.sql(f"FROM {hierarchy(table)}").to_arrow_table().to_pydict()
            found = hierarchy_levels(texts, columns, chosen)
            return {f"Level {number}": labels for number, labels in found.items()}, not chosen or 0 in chosen
        case Intervals() | Cuts() | Coded():
            named = {level_words(level): labels for level, labels in interval_levels(texts, recoding).items()}
            return named, coded_ends(recoding) == (None, None) and shows_values(recoding)
    return {}, True
