"""The protected tables of a text as SQL: each is counted with those before it, or with all that it is solved together with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.tables_together import TablesTogether
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.errors import PolicyError
from kanon_sql.model.protection import Protection

if TYPE_CHECKING:
    from kanon_sql.clause.cells.table_query import TableQuery


class TableWriter:
    """Writes the protected tables of a text, one after the other.

    Parameters
    ----------
    released : callable
        Returns what was counted for each table that was released.
    """

    def __init__(self, released: Callable[[], Sequence[Counting]]) -> None:
        self._released = released
        self._before: list[Counting] = []

    def __call__(self, query: TableQuery, protection: Protection, explained: bool) -> str:
        """Return the query of a table."""
        counting = _counting(query, protection)
        others = [*self._released(), *self._before]
        self._before.append(counting)
        return protected_query(counting, protection, query.source, others, explained=explained)


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
            raise PolicyError("EXPLAIN PROTECT cannot be used between BEGIN PROTECTED and COMMIT; hint: run it before")
        self._tables.add(_counting(query, protection), protection)
        return "SELECT 1"


class JointWriter:
    """Writes the protected tables of texts that are solved together, in the order in which they were read.

    Parameters
    ----------
    released : sequence of Counting
        What was counted for each table that was released.
    tables : TablesTogether
        The tables.
    tickets : sequence of int
        See `ProtectedTables.together`.
    """

    def __init__(self, released: Sequence[Counting], tables: TablesTogether, tickets: Sequence[int]) -> None:
        self._released, self._together = released, [counting for counting, _ in tables.asked]
        self._tickets: Iterator[int] = iter(tickets)

    def __call__(self, query: TableQuery, protection: Protection, explained: bool) -> str:
        """Return the query of a table."""
        return protected_query(
            _counting(query, protection),
            protection,
            query.source,
            self._released,
            together=self._together,
            ticket=next(self._tickets),
            explained=explained,
        )


def _counting(query: TableQuery, protection: Protection) -> Counting:
    return Counting(tabulation=query.tabulation, keys=query.keys, sums=query.sums, largest=protection.largest)
