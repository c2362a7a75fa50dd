"""BEGIN PROTECTED ... COMMIT on a connection: its tables wait for COMMIT, and are then solved together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import duckdb

from kanon_sql.engines.cells.tables_together import TablesTogether
from kanon_sql.engines.duckdb.cells.ledger import ProtectedTables
from kanon_sql.engines.duckdb.cells.table_writer import JointWriter, TableReader
from kanon_sql.engines.duckdb.connect.first_use import BLOCKS
from kanon_sql.errors import ClauseError, PolicyError

_BEGIN = "BEGIN TRANSACTION"

_NOTHING = 'SELECT true AS "Success" WHERE false'
"""What runs in place of a statement that waits."""


class WaitingTables:
    """The statements of a connection after BEGIN PROTECTED.

    Parameters
    ----------
    released : ProtectedTables
        Those of the instance.
    """

    def __init__(self, released: ProtectedTables) -> None:
        self._released = released
        self._tables: TablesTogether | None = None
        self._texts: list[str] = []

    @property
    def begun(self) -> bool:
        """Return whether BEGIN PROTECTED was given, and no end yet."""
        return self._tables is not None

    def takes(self, query: object) -> bool:
        """Return whether a text has BEGIN PROTECTED, or comes after it."""
        if self.begun:
            return True
        if not isinstance(query, str) or not BLOCKS.search(query):
            return False
        from kanon_sql.clause.cells import block  # sqlglot is only loaded where the word occurs

        return block.begins(query)

    def run(self, query: Any, rewrite: Callable[..., Any], run: Callable[[str, Any], Any]) -> Any:
        """Run the statements of a text.

        Parameters
        ----------
        rewrite : callable
            ``rewrite(text, writer=writer)`` returns a text as DuckDB takes it; ``writer`` writes its protected tables.
        run : callable
            ``run(text, sent)`` runs a statement as DuckDB takes it.

        Raises
        ------
        ClauseError, PolicyError
            When a statement cannot wait for the others.
        """
        if not isinstance(query, str):
            raise PolicyError(
                "BEGIN PROTECTED ... COMMIT accepts statements only as strings; hint: write con.execute('CREATE TABLE ...')"
            )
        from kanon_sql.clause.cells import block

        done = None
        for part in block.parts(query, inside=self.begun):
            if part.kind == "begin":
                done = run(_BEGIN, _BEGIN)
                self._tables, self._texts = TablesTogether(), []
            elif self._tables is None:
                done = run(part.text, rewrite(part.text, writer=None))
            elif part.kind == "table":
                self._add(part.text, self._tables, rewrite)
                done = run(part.text, _NOTHING)
            else:
                done = self._end(part.text, self._tables, rewrite, run)
        return done

    def _add(self, text: str, tables: TablesTogether, rewrite: Callable[..., Any]) -> None:
        """Keep a statement, unless it cannot be read, or its table cannot be solved together with those before it."""
        known = len(tables.requested)
        try:
            rewrite(text, writer=TableReader(tables))
        except (ClauseError, PolicyError):
            del tables.requested[known:]
            raise
        self._texts.append(text)

    def _end(self, text: str, tables: TablesTogether, rewrite: Callable[..., Any], run: Callable[[str, Any], Any]) -> Any:
        """Run what waits and COMMIT, or let go of it; an error takes all of it back."""
        from kanon_sql.clause.cells import block

        self._tables = None
        if not block.commits(text):
            return run(text, text)
        try:
            with self._released.together(tables) as tickets:
                writer = JointWriter(self._released, tables, tickets)
                for each in [(text, rewrite(text, writer=writer)) for text in self._texts]:
                    run(*each)
            return run(text, text)
        except BaseException:
            with suppress(duckdb.Error):  # where the error has ended the transaction
                run("ROLLBACK", "ROLLBACK")
            raise
