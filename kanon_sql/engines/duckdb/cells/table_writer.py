"""The protected tables of a text as SQL: each is counted with those before it, or with all that it is solved together with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.named_rows import with_named_rows
from kanon_sql.engines.cells.tables_together import TablesTogether
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.errors import PolicyError
from kanon_sql.model.protection import Protection

if TYPE_CHECKING:
    from kanon_sql.clause.cells.table_query import TableQuery
    from kanon_sql.engines.duckdb.cells.ledger import ProtectedTables


class TableWriter:
    """Writes the protected tables of a text, one after the other.

    Parameters
    ----------
    released : ProtectedTables
        Those that were released before.
    """

    def __init__(self, released: ProtectedTables) -> None:
        self._released = released
        self._before: list[Counting] = []

    def __call__(self, query: TableQuery, protection: Protection, explained: bool) -> str:
        """Return the query of a table."""
        counting = _counting(query, protection)
        others = [*self._released.countings, *self._before]
        self._before.append(counting)
        held = _is_held(query, self._released)
        return protected_query(counting, protection, query.source, others, above=query.above, explained=explained, held=held)


class TableReader:
    """Takes the protected tables of a text that are solved together, and writes nothing yet.

    Parameters
    ----------
    tables : TablesTogether
        Gets the tables.
    """

    def __init__(self, tables: TablesTogether) -> None:
        self._tables = tables

    def __call__(self, query: TableQuery, protection: Protection, explained: bool) -> str:
        """Take a table."""
        if explained:
            raise PolicyError(
                "EXPLAIN PROTECT cannot be used between BEGIN PROTECTED and COMMIT; hint: run it before BEGIN PROTECTED"
            )
        self._tables.add(_counting(query, protection), protection)
        return "SELECT 1"


class JointWriter:
    """Writes the protected tables of texts that are solved together, in the order in which they were read.

    Parameters
    ----------
    released : ProtectedTables
        Those that were released before.
    tickets : sequence of int
        See `ProtectedTables.together`.
    """

    def __init__(self, released: ProtectedTables, tables: TablesTogether, tickets: Sequence[int]) -> None:
        self._released, self._before = released, released.countings
        self._together = [counting for counting, _ in tables.requested]
        self._tickets: Iterator[int] = iter(tickets)

    def __call__(self, query: TableQuery, protection: Protection, explained: bool) -> str:
        """Return the query of a table."""
        return protected_query(
            _counting(query, protection),
            protection,
            query.source,
            self._before,
            above=query.above,
            together=self._together,
            ticket=next(self._tickets),
            explained=explained,
            held=_is_held(query, self._released),
        )


def _counting(query: TableQuery, protection: Protection) -> Counting:
    counting = Counting(
        tabulation=query.tabulation, keys=query.keys, sums=query.sums, largest=protection.largest, where=query.where
    )
    return with_named_rows(counting, protection)


def _is_held(query: TableQuery, released: ProtectedTables) -> bool:
    return query.table is not None and released.holds_still(query.table)
