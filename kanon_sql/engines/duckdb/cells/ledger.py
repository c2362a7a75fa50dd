"""The protected tables that one DuckDB instance has released, in the order of their release."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from kanon_sql.certificate.table_certificate import TableCertificate
from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.earlier_tables import EarlierTable
from kanon_sql.engines.cells.table_release import TableRelease
from kanon_sql.engines.cells.tables_together import TablesTogether
from kanon_sql.engines.duckdb.cells.table_record import Home, Memory, databases, numbers, read, write
from kanon_sql.engines.duckdb.gather.from_items import is_stored
from kanon_sql.errors import SourceError
from kanon_sql.model.secret import Secret
from kanon_sql.model.tabulation import Tabulation


class ProtectedTables:
    """What later tables of the same source have to respect.

    Parameters
    ----------
    connect : callable
        Opens a connection to the instance.
    secret : callable
        Returns the secret of the instance, which seals what files remember.

    Attributes
    ----------
    memory : Memory or None
        Where tables are remembered if the instance has one source of its own; None if their sources say it.

    Notes
    -----
    Only one table is solved at a time: each has to know those before it.
    """

    def __init__(self, connect: Callable[[], Any], secret: Callable[[], Secret]) -> None:
        self._turn, self._reading = threading.Lock(), threading.Lock()
        self._connect, self._secret = connect, secret
        self._read: dict[tuple[int, int], EarlierTable] = {}
        self._released: list[TableRelease] = []
        self._together: dict[int, tuple[TablesTogether, int]] = {}
        self.certificates: list[TableCertificate] = []
        self.memory: Memory | None = None

    @property
    def countings(self) -> list[Counting]:
        """Return what was counted for each table that was released."""
        found = [each.counting for each in self._earlier()]
        return found if self.memory is None else [each for each in found if self.memory.knows(each)]

    def holds_still(self, table: str) -> bool:
        """Return whether a name can only be that of a stored table, which gives the same rows when it is read again."""
        return is_stored(self._connect, table)

    @contextmanager
    def turn(self) -> Iterator[Sequence[EarlierTable]]:
        """Give the tables that were released before, while no other table is solved."""
        with self._turn:
            yield self._earlier()

    @contextmanager
    def together(self, tables: TablesTogether) -> Iterator[list[int]]:
        """Give a number for each of the tables, by which their statements know what they are solved with."""
        tickets = [secrets.randbits(62) for _ in tables.requested]  # no other statement can guess it
        self._together |= {ticket: (tables, place) for place, ticket in enumerate(tickets)}
        try:
            yield tickets
        finally:
            for ticket in tickets:
                del self._together[ticket]

    def solved_with(self, ticket: int) -> tuple[TablesTogether, int] | None:
        """Return the tables that one is solved with, and its place among them; None if it is alone."""
        return self._together.get(ticket)

    def add(self, release: TableRelease) -> TableCertificate:
        """Keep a table that passed the gate, once; the same table once more has the same certificate."""
        new = release.released
        alike = [each for each in self._released if each.released.same(new)]
        if not alike:
            self._released.append(release)
        shown = (new.tabulation, new.protection)
        same = next((each for each in alike if (each.released.tabulation, each.released.protection) == shown), release)
        certificate = replace(same.certificate, number=len(self.certificates) + 1)
        self.certificates.append(certificate)
        return certificate

    def newest(self) -> TableCertificate:
        """Return the certificate of the newest table.

        Raises
        ------
        SourceError
            When it is about no rows.
        """
        if not self.certificates[-1].base_cells:
            raise SourceError("the table has no rows; hint: protect a table with rows")
        return self.certificates[-1]

    def made(self, table: Tabulation) -> bool:
        """Return whether this instance has released a table of this shape."""
        return any(each.released.tabulation.repeats(table) for each in self._released)

    def remember(self, table: EarlierTable, home: Home) -> None:
        """Write a table into the file of its source, before a row of it is shown.

        Raises
        ------
        SourceError
            When the file cannot be written.
        """
        if home.database is None:
            return
        with self._reading, self._connect() as con:
            if not any(each.same(table) for each in self._stored(con, home.database)):
                write(con, home.database, table, self._secret())

    def _earlier(self) -> tuple[EarlierTable, ...]:
        """Return all tables that were released before, those of files first."""
        with self._reading, self._connect() as con:
            stored = [table for database in databases(con) for table in self._stored(con, database)]
        running = {id(tables): tables for tables, _ in self._together.copy().values()}.values()
        released = [*(each.released for each in self._released), *(table for each in running for table in each.solved)]
        return (*stored, *(each for each in released if not any(each.same(other) for other in stored)))

    def _stored(self, con: Any, database: str) -> list[EarlierTable]:
        """Return the tables that a database remembers; each is read once while the database is attached."""
        attached = databases(con).get(database)
        if attached is None:
            return []
        found = []
        for number in numbers(con, database):
            if (attached, number) not in self._read:
                self._read[attached, number] = read(con, database, number, self._secret())
            found.append(self._read[attached, number])
        return found
