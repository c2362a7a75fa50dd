"""A DuckDB connection that understands the clause."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from types import TracebackType
from typing import Any, Self, TypeVar

import duckdb

from kanon_sql.engines.duckdb import copying
from kanon_sql.engines.duckdb.caller import as_caller, is_stream, streams
from kanon_sql.engines.duckdb.cells.table_writer import TableWriter
from kanon_sql.engines.duckdb.cells.waiting_tables import WaitingTables
from kanon_sql.engines.duckdb.failures import Asked
from kanon_sql.engines.duckdb.history_query import history_query
from kanon_sql.engines.duckdb.policies import Policies
from kanon_sql.engines.duckdb.registration import install, macros, session_of
from kanon_sql.engines.duckdb.relation import run
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.shadowing import GATED, REFUSED, unshadowed
from kanon_sql.errors import KanonError, PolicyError, raise_alone
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import Progress

_OF_RESULT = ("arrow", "df", "fetch", "pl", "tf", "to_arrow", "torch")
"""How the methods of a connection begin that hand over the result of its last statement, in every version of DuckDB."""

_CLAUSES = re.compile("anonymi|protect", re.IGNORECASE)

_PREPARES, _EXECUTES = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("prepare", "execute"))

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

    def __init__(self, raw: duckdb.DuckDBPyConnection) -> None:
        self.raw = raw
        self.session = session_of(raw)
        self._asked = Asked()
        self._prepared = False
        self._streams = set[str]()
        self._waiting = WaitingTables(self.session.protected_tables)

    def execute(self, query: Any, parameters: Any = None) -> Self:
        """Run statements, as ``DuckDBPyConnection.execute``; a COPY of a release writes its file whole or not at all."""
        self._run(partial(as_caller, self.raw.execute), query, self.raw.execute, parameters)
        return self

    def executemany(self, query: Any, parameters: Any = None) -> Self:
        """Run a statement once per set of parameters, as ``DuckDBPyConnection.executemany``."""
        self._run(partial(as_caller, self.raw.executemany), query, self.raw.execute, parameters, many=True)
        return self

    def sql(self, query: Any, *, params: Any = None, **options: Any) -> Any:
        """Return a relation, as ``DuckDBPyConnection.sql``; it runs when its rows are asked for."""

        def last(text: Any, parameters: Any) -> Any:
            return as_caller(self.raw.sql, text, params=parameters, **options)

        return self._run(last, query, self.raw.sql, params)

    def register(self, view_name: str, python_object: Any) -> Self:
        """Give an object a name, as ``DuckDBPyConnection.register``."""
        (self._streams.add if is_stream(python_object) else self._streams.discard)(view_name)
        self.raw.register(view_name, python_object)
        return self

    query = sql
    from_query = sql

    def cursor(self) -> Connection:
        """Return a second connection to the same database, with everything registered."""
        return Connection(register(self.raw.cursor()))

    def interrupt(self) -> None:
        """Stop the running statement, also a solver at work."""
        self.session.search.interrupt()
        self.raw.interrupt()

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
        return self._waiting.begun

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<kanon_sql connection over {self.raw!r}>"

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.raw, name)
        # A method such as fetchall is about the statement that ran last; one such as view is not.
        asked = self._asked if name.startswith(_OF_RESULT) else Asked()
        return partial(run, self.session, asked, as_caller, value) if callable(value) else value

    def _rewritten(self, query: Any, ask: Callable[[str], Any], writer: Callable[..., str] | None = None) -> Any:
        """Return the query as DuckDB takes it; stored policies are read by ``ask``, in the transaction of the connection."""
        if not isinstance(query, str) or not _CLAUSES.search(query):
            return query
        from kanon_sql.clause import rewrite  # sqlglot is only paid for where the word occurs

        policies = Policies(lambda question: ask(question).fetchall(), self.session.allowed_files)
        protect = TableWriter(self.session.protected_tables) if writer is None else writer
        return rewrite(query, _release_of_query, policies, protect, _linked, streams() | self._streams)

    def _run(
        self, last: Callable[..., Any], query: Any, ask: Callable[[str], Any], parameters: Any, *, many: bool = False
    ) -> Any:
        """Run statements; tables between BEGIN PROTECTED and COMMIT wait until all of them are known."""
        if not self._waiting.takes(query):
            with self.session.search.statement():
                return self._run_sent(last, query, self._rewritten(query, ask), parameters, many=many)
        if many or parameters:
            raise PolicyError("BEGIN PROTECTED ... COMMIT takes no parameters; hint: write them into the statements")
        return self._waiting.run(query, partial(self._rewritten, ask=ask), partial(self._run_sent, last, parameters=None))

    def _run_sent(self, last: Callable[..., Any], query: Any, sent: Any, parameters: Any, *, many: bool = False) -> Any:
        """Run statements; those that hold a release fail without words of DuckDB that may quote values."""
        asked = Asked.of(query, sent)
        # What was prepared is not bound again when it is executed.
        asked.released = asked.released or (self._prepared and _EXECUTES.search(asked.text) is not None)
        self._asked = asked
        try:
            return run(self.session, asked, self._copied, last, sent, parameters, many)
        finally:
            self._prepared = self._prepared or (asked.released and _PREPARES.search(asked.text) is not None)

    def _copied(self, last: Callable[..., Any], sent: Any, parameters: Any, many: bool) -> Any:
        try:
            return copying.run(self.raw, last, sent, parameters, many=many)
        except duckdb.BinderException:
            refusal = self._shadowed(sent)
            if refusal is None:
                raise
            raise_alone(refusal)

    def _shadowed(self, query: object) -> KanonError | None:
        """Return the refusal of a macro behind the syntax of a statement of ours that could not even be bound."""
        if isinstance(query, str) and _our_statements().search(query):
            try:
                self.raw.execute(f"SELECT {unshadowed((*GATED, *REFUSED))}").fetchall()
            except duckdb.Error as refusal:
                return self.session.failures.cause_of(str(refusal))
        return None


@cache
def _our_statements() -> re.Pattern[str]:
    """Return a pattern for statements that release, explain or audit."""
    return re.compile("|".join(["kanon#", *(text.partition("(")[0] for text in macros())]), re.IGNORECASE)


def _release_of_query(body: str, policy: Policy, wide: str | None) -> str:
    return release_query(body, policy, query=True, wide=wide)


def _linked(body: str, asked: LinkedHistories, wide: str | None) -> str:
    return history_query(body, asked, wide, query=True)
