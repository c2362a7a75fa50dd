"""The tables that PROTECT remembers, as far as a ledger needs them: their columns, and which published file is one of them.

A record holds the counts of a table, but no labels: they are in the source. So a protected table is audited from the file that
was published, which is recognized by its counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

from kanon_sql.engines.cells.base_cells import row_numbers
from kanon_sql.engines.duckdb.cells.table_record import RECORD, databases, numbers, unsealed
from kanon_sql.engines.duckdb.names import qualified
from kanon_sql.model.published_table import PublishedTable
from kanon_sql.model.validation import same_name


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTable:
    """A protected table."""

    record: int  # its number among the tables that PROTECT remembers
    moment: datetime
    keys: tuple[str, ...]  # the columns that it is counted by
    condition: str | None  # the condition that its people meet
    absent: bool  # whether it leaves suppressed rows out
    suppressed: int  # how many of its rows are suppressed
    shown: Counter[int] = field(repr=False)  # the counts that it shows

    @property
    def rows(self) -> int:
        """Return how many rows are published."""
        return self.shown.total() + (0 if self.absent else self.suppressed)

    def shows(self, table: PublishedTable) -> bool:
        """Return whether a published table is this one: the same keys, and the same counts in some order."""
        hidden = sum(each.suppressed for each in table.rows)
        return (
            sorted(map(same_name, table.keys)) == sorted(map(same_name, self.keys))
            and (hidden == 0 if self.absent else hidden == self.suppressed)
            and Counter(each.lower for each in table.rows if each.exact) == self.shown
        )

    def published(self, table: PublishedTable) -> PublishedTable:
        """Return this table from its published file, with what is known of it: its suppressed rows may be empty."""
        rows = tuple(replace(each, lower=0) if each.suppressed else each for each in table.rows)
        return replace(table, rows=rows, absent=self.absent, condition=table.condition or self.condition)


def recorded_tables(con: Any, database: str) -> list[RecordedTable]:
    """Return the tables that PROTECT remembers in a database, oldest first.

    Raises
    ------
    SourceError
        When a record cannot be read.
    """
    if database not in databases(con):
        return []
    place = qualified([database, "main", RECORD])
    query = f"SELECT number, released_at FROM {place} ORDER BY number ASC NULLS LAST"  # noqa: S608
    moments = dict(con.execute(query).fetchall())
    return [_recorded(con, database, number, moments[number]) for number in numbers(con, database)]


def _recorded(con: Any, database: str, number: int, moment: datetime) -> RecordedTable:
    table = unsealed(con, database, number)
    shape = table.tabulation
    row, rows = row_numbers(table.cells.keys, shape.sets)
    people = np.zeros(rows, np.int64)
    np.add.at(people, row, table.cells.people[:, None])
    hidden = table.suppressed[:rows]
    return RecordedTable(
        record=number,
        moment=moment,
        keys=tuple(each.name for each in shape.items if each.kind == "key"),
        condition=table.counting.where or None,
        absent=table.protection.rows == "absent",
        suppressed=int(hidden.sum()),
        shown=Counter(map(int, people[~hidden])),
    )
