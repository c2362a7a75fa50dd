"""The cell magic of notebooks: SQL with the ANONYMIZE clause, and the certificate below its result."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from keyword import iskeyword
from typing import Any, NoReturn

import duckdb
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from kanon_sql.clause.statements import has_rows, statements
from kanon_sql.engines.duckdb.connect.certificates import releases
from kanon_sql.engines.duckdb.connect.connection import Connection, connect, register
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import KanonError, KanonWarning, raise_alone
from kanon_sql.model.printable import printable, without_controls

_STORED = "SELECT table_name FROM system.main.duckdb_tables() UNION ALL SELECT view_name FROM system.main.duckdb_views()"

_WORD = re.compile(r"[^\W\d]\w*")


@magics_class
class KanonMagics(Magics):
    """``%kanon`` chooses a database, ``%%kanon`` runs SQL in it."""

    shell: Any
    connection: Connection | None = None

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.seen: list[str] = []

    @line_cell_magic
    def kanon(self, line: str, cell: str | None = None) -> Any:
        """Run SQL in which queries may have an ANONYMIZE clause, and show the last result and the certificates.

        ``%kanon clinic.duckdb`` opens a database for the cells that follow, ``%kanon con`` takes the connection of a variable;
        without either, the database is in memory. ``%%kanon`` runs a cell; ``%%kanon released`` also keeps the last result, a
        pandas data frame, in a variable. Statements see the data frames and Arrow tables of the notebook by their names.
        """
        words = line.split()
        if cell is None:
            return self._choose(line.strip())
        if len(words) > 1 or not all(word.isidentifier() and not iskeyword(word) for word in words):
            raise UsageError("%%kanon accepts one variable name for the result; hint: write %%kanon released")
        con = self._connection()
        known = len(releases(con))
        try:
            with _shown_warnings():
                result = self._run(con, cell)
        except (duckdb.Error, KanonError) as error:
            _refuse(error)
        finally:
            self._hide(con)
        if result is not None:
            display(result)  # type: ignore[no-untyped-call]
        for certificate in releases(con)[known:]:
            display(certificate)  # type: ignore[no-untyped-call]
        for word in words:
            self.shell.user_ns[word] = result
        return None

    def _choose(self, name: str) -> None:
        """Take the connection of a variable, or open a database."""
        if not name:
            raise UsageError(
                "%kanon needs a database or a connection; hint: write %kanon clinic.duckdb, or use %%kanon for a cell of SQL"
            )
        value = self.shell.user_ns.get(name)
        if isinstance(value, duckdb.DuckDBPyConnection):
            self.connection = Connection(register(value))
        elif isinstance(value, Connection):
            self.connection = value
        else:
            try:
                self.connection = connect(name)
            except (duckdb.Error, KanonError) as error:
                _refuse(error)

    def _connection(self) -> Connection:
        if self.connection is None:
            self.connection = connect()
        return self.connection

    def _run(self, con: Connection, cell: str) -> Any:
        """Run the statements of a cell and return the rows of the last one; None if it has none."""
        result = None
        for statement in statements(cell):
            self._hide(con)  # a statement may have made a table that is called like a raw one of the notebook
            for name, value in self._tables(con, cell).items():
                con.raw.register(name, value)
                self.seen.append(name)
            result = interruptible(con.interrupt, partial(_result, con, statement.text), finish=con.finish)
        return result

    def _hide(self, con: Connection) -> None:
        """Take the tables of the notebook from the connection; where a transaction has failed, only after its ROLLBACK."""
        with suppress(duckdb.TransactionException):
            while self.seen:
                con.raw.unregister(self.seen[-1])
                self.seen.pop()

    def _tables(self, con: Connection, cell: str) -> dict[str, Any]:
        """Return the variables that the cell may name and that hold tables; tables of the database come first.

        Where a transaction has failed nobody can tell what the database holds, and no statement but its ROLLBACK runs.
        """
        variables = {word: self.shell.user_ns.get(word) for word in _WORD.findall(cell)}
        tables = {word: value for word, value in variables.items() if hasattr(type(value), "__arrow_c_stream__")}
        if not tables:
            return {}
        try:
            stored = {str(name).casefold() for (name,) in con.raw.execute(_STORED).fetchall()}
        except duckdb.TransactionException:
            return {}
        return {word: value for word, value in tables.items() if word.casefold() not in stored}


@contextmanager
def _shown_warnings() -> Iterator[None]:
    """Show the warnings of every release, a line each: Python would show them at a line of the thread that runs a statement."""

    def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if not isinstance(message, KanonWarning):
            plain(message, category, *place)
            return
        for each in message.warnings:
            sys.stderr.write(f"warning: {printable(each)}\n")

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=KanonWarning, append=True)  # unless the user has said what to do with them
        plain: Callable[..., None] = warnings.showwarning
        warnings.showwarning = show  # type: ignore[assignment] # it hands the place on as it came
        yield


def _result(con: Connection, statement: str) -> Any:
    """Run a statement and return its rows; None if it has none."""
    con.execute(statement)
    names = [column[0] for column in con.description or ()]
    return con.df() if has_rows(names, statement) else None


def _refuse(error: Exception) -> NoReturn:
    """End the cell with the words of an error: the traceback of a statement tells nothing."""
    raise_alone(UsageError(without_controls(str(error).strip())))


def load(shell: Any) -> None:
    """Give a shell of IPython the magic."""
    shell.register_magics(KanonMagics)
