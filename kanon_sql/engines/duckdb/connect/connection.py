"""A DuckDB connection that understands the clause."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from kanon_sql.engines.duckdb.connect.caller import as_caller, is_stream
from kanon_sql.engines.duckdb.connect.first_use import FirstUse
from kanon_sql.engines.duckdb.versions import BUSY
from kanon_sql.errors import KanonError, raise_alone

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.session import Session
    from kanon_sql.engines.duckdb.connect.statements_run import Running
    from kanon_sql.solvers.budget import Progress

_OF_RESULT = ("arrow", "description", "df", "fetch", "pl", "rowcount", "tf", "to_arrow", "torch", "unregister")
"""How the names of a connection begin that are about the result of its last statement, in every version of DuckDB, or about no
statement at all."""
_Raw = TypeVar("_Raw", bound=duckdb.DuckDBPyConnection)


def register(con: _Raw, *, secret: str | bytes | None = None, allowed_files: Iterable[str | os.PathLike[str]] = ()) -> _Raw:
    """Make the table functions work on a DuckDB connection of yours.

    Parameters
    ----------
    con : DuckDBPyConnection
        Any open connection. Its cursors have the functions too, by their own names if the database is in memory. Otherwise they
        are ``kanon.k_anonymize(...)`` and so on, or have their own names after ``register(cursor)``.
    secret : str or bytes, optional
        Key of all choices that must be unpredictable, such as which of several equal rows are suppressed. All connections to a
        database share it. By default that of ``KANON_SECRET``, else one that is kept for the user.
    allowed_files : iterable of str or PathLike, optional
        Files, or folders of files, that stored policies may name instead of a table; by default none. All connections to a
        database share them.

    Returns
    -------
    DuckDBPyConnection
        The same connection.

    Raises
    ------
    SourceError
        When a database file brings a macro that is called like one of these functions, unless it is the very same.
    PolicyError
        When ``allowed_files`` is not a list of paths.

    Notes
    -----
    The macros are temporary in a database file; only its first protected table writes there: the table
    ``kanon_protected_tables``. A database opened read-only, or whose file is called ``kanon``, gives its cursors no ``kanon``
    schema. Inside an open transaction the functions last as long as it does: register before BEGIN.

    Examples
    --------
    >>> con = register(duckdb.connect())
    >>> _ = con.execute("CREATE TABLE people AS SELECT zip FROM (VALUES (98101), (98101), (98102), (98103)) AS t(zip)")
    >>> con.sql("SELECT count(*), count(zip) FROM k_anonymize('people', 2)").fetchall()
    [(4, 2)]
    """
    if isinstance(con, Connection):
        register(con.raw, secret=secret, allowed_files=allowed_files)
        return con
    from kanon_sql.engines.duckdb.connect.registration import install

    install(con, secret, allowed_files)
    return con


def connect(
    database: str = ":memory:",
    *,
    secret: str | bytes | None = None,
    allowed_files: Iterable[str | os.PathLike[str]] = (),
    **options: Any,
) -> Connection:
    """Open a DuckDB connection that also understands ANONYMIZE.

    Parameters
    ----------
    database : str
        Path of a database file, or ``':memory:'``.
    secret : str or bytes, optional
        As for `register`.
    allowed_files : iterable of str or PathLike, optional
        As for `register`.
    **options
        As for ``duckdb.connect``.

    Raises
    ------
    SourceError, PolicyError
        As `register`.

    Examples
    --------
    >>> with connect() as con:
    ...     _ = con.execute("CREATE TABLE people AS SELECT zip FROM (VALUES (98101), (98101), (98102), (98103)) AS t(zip)")
    ...     released = con.execute("SELECT zip FROM people ANONYMIZE BY zip GUARANTEE k >= 2").fetchall()
    >>> sorted(released, key=str)
    [(98101,), (98101,), (None,), (None,)]
    """
    con = duckdb.connect(database, **options)
    if BUSY and database == ":memory:" and secret is None and not allowed_files:
        return Connection(con, FirstUse(con))
    try:
        return Connection(register(con, secret=secret, allowed_files=allowed_files))
    except KanonError:
        con.close()
        raise


class Connection:
    """A DuckDB connection that also understands ANONYMIZE; everything else is DuckDB's own.

    Attributes
    ----------
    raw : DuckDBPyConnection
        The connection behind it.
    session : Session
        What is remembered of its releases.
    """

    def __init__(self, raw: duckdb.DuckDBPyConnection, first_use: FirstUse | None = None) -> None:
        self._raw, self._first_use = raw, first_use
        self._running: Running | None = None
        if first_use is None:
            self._running = self._statements

    @property
    def raw(self) -> duckdb.DuckDBPyConnection:
        """Return the connection behind it, with all functions and macros."""
        if self._first_use is not None:
            self._first_use.everything()
        return self._raw

    @property
    def session(self) -> Session:
        """Return what is remembered of its releases."""
        return self._statements.session

    @property
    def _statements(self) -> Running:
        """Return what runs statements; only one that is DuckDB's alone runs without it."""
        if self._running is None:
            from kanon_sql.engines.duckdb.connect.registration import session_of
            from kanon_sql.engines.duckdb.connect.statements_run import Running

            if self._first_use is None:
                self._running = Running(self._raw, session_of(self._raw))
            else:
                self._running = Running(self._raw, self._first_use.session(), self._first_use)
        return self._running

    def execute(self, query: Any, parameters: Any = None) -> Self:
        """Run statements, as ``DuckDBPyConnection.execute``; a COPY of a release writes its file whole or not at all."""
        self._run(partial(as_caller, self._raw.execute), query, self._raw.execute, parameters)
        return self

    def executemany(self, query: Any, parameters: Any = None) -> Self:
        """Run a statement once per set of parameters, as ``DuckDBPyConnection.executemany``."""
        self._run(partial(as_caller, self._raw.executemany), query, self._raw.execute, parameters, many=True)
        return self

    def sql(self, query: Any, *, params: Any = None, **options: Any) -> Any:
        """Return a relation, as ``DuckDBPyConnection.sql``; it runs when its rows are requested."""
        if self._first_use is not None and self._first_use.is_clause_alone(query):
            self._first_use.before(query)
            raw = self._raw
        else:
            raw = self.raw

        def last(text: Any, parameters: Any) -> Any:
            return as_caller(raw.sql, text, params=parameters, **options)

        return self._statements.run(last, query, raw.sql, params)

    def register(self, view_name: str, python_object: Any) -> Self:
        """Give an object a name, as ``DuckDBPyConnection.register``."""
        if is_stream(python_object):
            self._statements.streams.add(view_name)
        elif self._running is not None:
            self._running.streams.discard(view_name)
        self._raw.register(view_name, python_object)
        return self

    query = sql
    from_query = sql

    def cursor(self) -> Connection:
        """Return a second connection to the same database, with everything registered."""
        return Connection(register(self.raw.cursor()))

    def interrupt(self) -> None:
        """Stop the running statement, also a solver at work."""
        if self._running is not None:
            self._running.session.search.interrupt()
        self._raw.interrupt()

    def finish(self) -> bool:
        """Let a solver at work end its search: its best release so far is audited and given; False if there is none yet."""
        return self.session.search.finish()

    def watch(self, progress: Progress | None) -> None:
        """Let ``progress`` hear of running releases: a `Moment` with the step, the share done, the cost and the bound.

        With None, which is how a connection begins, a notebook shows it under the cell; elsewhere nothing is shown.
        """
        self.session.search.watch(progress)

    @property
    def waits(self) -> bool:
        """Return whether BEGIN PROTECTED was given: tables are made at COMMIT."""
        return self._running is not None and self._running.waits

    def close(self) -> None:
        """Close the connection."""
        self._raw.close()
        if self._first_use is not None:
            self._first_use.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<kanon_sql connection over {self._raw!r}>"

    def __getattr__(self, name: str) -> Any:
        of_result = name.startswith(_OF_RESULT)
        value = getattr(self._raw if of_result else self.raw, name)
        if of_result and self._running is None:
            return partial(self._plainly, "", as_caller, value) if callable(value) else value
        from kanon_sql.engines.duckdb.connect.failures import RequestedStatement
        from kanon_sql.engines.duckdb.connect.lazy_relation import run

        # A method such as fetchall is about the statement that ran last; one such as view is not.
        statement = self._statements.requested if of_result else RequestedStatement()
        return partial(run, self.session, statement, as_caller, value) if callable(value) else value

    def _run(
        self, last: Callable[..., Any], query: Any, ask: Callable[[str], Any], parameters: Any, *, many: bool = False
    ) -> Any:
        """Run statements, after what they need is made."""
        if self._first_use is not None and self._first_use.before(query):
            return self._plainly(query, last, query, parameters)
        return self._statements.run(last, query, ask, parameters, many=many)

    def _plainly(self, text: str, call: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        """Run a statement that is DuckDB's alone, or hand over its rows."""
        try:
            return call(*arguments, **options)
        except Exception as error:
            from kanon_sql.engines.duckdb.connect.failures import RequestedStatement, error_to_raise

            cause = error_to_raise(error, RequestedStatement(text), self.session)
            if cause is None:
                raise
            raise_alone(cause)
