"""DuckDB: registers the SQL functions and macros, and makes a connection that understands the clause."""

from __future__ import annotations

import atexit
import functools
import itertools
import re
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.resources import files
from types import TracebackType
from typing import Any, Self, TypeVar

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from kanon_sql.certificate import Certificate
from kanon_sql.engines.checked import checked_release
from kanon_sql.engines.failures import Asked
from kanon_sql.engines.functions import Function
from kanon_sql.engines.names import quoted
from kanon_sql.engines.policies import Policies
from kanon_sql.engines.relation import run
from kanon_sql.engines.session import Session
from kanon_sql.policy import Policy
from kanon_sql.solvers.budget import Progress

_MODULES = (
    "kanon_fit",
    "kanon_explain",
    "kanon_column",
    "kanon_columns_known",
    "kanon_policy_checked",
    "kanon_plan_release",
    "kanon_plan_explanation",
    "kanon_audited",
    "kanon_entropy",
    "kanon_transport",
    "kanon_releases",
    "k_anonymize",
    "l_diversify",
    "t_close",
    "pattern_guided",
    "anonymize",
    "bin_labels",
    "region_labels",
    "rectangle_labels",
)
"""Modules of `kanon_sql.udfs`, in the order in which they are registered."""

_SCHEMA = "kanon"
"""Attached in-memory database that holds the macros for cursors, which do not see temporary ones."""

_CREATE = "CREATE OR REPLACE MACRO "

_OF_RESULT = ("df", "fetch", "tf", "to_arrow", "torch")
"""How the methods of a connection begin that hand over the result of its last statement."""

_PREPARES, _EXECUTES = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("prepare", "execute"))

_SESSIONS: weakref.WeakValueDictionary[int, Session] = weakref.WeakValueDictionary()
_NUMBERS = itertools.count(1)

_OPEN: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
"""Connections that own functions; DuckDB reports them as leaks on stderr unless they are closed before Python ends."""


_KEPT: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, Session] = weakref.WeakKeyDictionary()
"""The session of each registered connection, and with it the functions: DuckDB lets go of them with the connection that brought
them, though others of the instance may still call them."""

_REGISTERING = threading.RLock()
"""Two threads that make the same functions or macros at once would be in each other's way."""


@atexit.register
def _close_all() -> None:
    for con in list(_OPEN):
        con.close()


_Raw = TypeVar("_Raw", bound=duckdb.DuckDBPyConnection)


def session_of(con: duckdb.DuckDBPyConnection) -> Session:
    """Return the session of the connection's DuckDB instance; registers the functions if they are not there yet."""
    with _REGISTERING:
        with con.cursor() as cursor:  # not on the connection itself, which may be in the middle of a result
            try:
                return _SESSIONS[cursor.execute("SELECT kanon_session()").fetchall()[0][0]]
            except duckdb.CatalogException:
                session = Session()
        _OPEN.add(con)
        number = next(_NUMBERS)
        _SESSIONS[number] = session
        con.create_function("kanon_session", session.keep(lambda: number), [], "BIGINT")
        for module in map(_udf, _MODULES):
            function: Function = module.FUNCTION
            con.create_function(
                function.name,
                session.keep(function.bound(session)),
                None if function.parameters is None else list(function.parameters),
                function.returns,
                type=PythonUDFType.ARROW if function.arrow else PythonUDFType.NATIVE,
                null_handling=FunctionNullHandling.SPECIAL,
                side_effects=function.side_effects,
            )
        return session


def macros() -> list[str]:
    """Return the text behind CREATE MACRO of every table macro: the table functions, then the audit."""
    texts = [module.MACRO for module in functions()]
    for path in sorted(files("kanon_sql.sql").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".sql") and path.name != "kanon.sql":
            text = path.read_text(encoding="utf-8")
            texts.append(text[text.index(_CREATE) + len(_CREATE) :].rstrip().rstrip(";"))
    return texts


def functions() -> list[Any]:
    """Return the modules of the table functions, each with its ``MACRO``."""
    return [module for module in map(_udf, _MODULES) if hasattr(module, "MACRO")]


def _udf(name: str) -> Any:
    return import_module(f"kanon_sql.udfs.{name}")


def register(con: _Raw) -> _Raw:
    """Make the table functions work on a DuckDB connection of yours.

    Parameters
    ----------
    con : DuckDBPyConnection
        Any open connection. Its cursors have the functions too: by their own names where the database is in memory, else
        as ``kanon.k_anonymize(...)``, or by their own names after ``register(cursor)``.

    Returns
    -------
    DuckDBPyConnection
        The same connection.

    Notes
    -----
    Nothing is written into a database file: there, the macros are temporary. A database opened read-only, or whose file is
    called ``kanon``, gives its cursors no ``kanon`` schema. Inside an open transaction the functions last as long as it does:
    register before BEGIN.
    """
    if isinstance(con, Connection):
        register(con.raw)
        return con
    with _REGISTERING:
        _KEPT[con] = session_of(con)
        _KEPT[con].serve(con)
        for text in macros():
            con.execute(f"CREATE OR REPLACE TEMP MACRO {text}")
        # A transaction of its own, because a single one may write to one database only. It does not see functions that were
        # registered inside an open transaction; then there are none for cursors yet.
        with con.cursor() as cursor, suppress(duckdb.CatalogException):
            for home in _homes(cursor):
                for text in macros():
                    cursor.execute(f"{_CREATE}{home}.{text}")
    return con


def _homes(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the schemas outside the user's files that all cursors see."""
    database, path, readonly = cursor.execute(
        "SELECT database_name, path, readonly FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchall()[0]
    homes = [] if path or readonly else [f"{quoted(database)}.main"]
    try:
        cursor.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {_SCHEMA}")
    except duckdb.CatalogException:  # an instance opened read-only holds no second database
        return homes
    ours = cursor.execute("SELECT path IS NULL FROM duckdb_databases() WHERE database_name = $1", [_SCHEMA]).fetchall()
    return [*homes, f"{_SCHEMA}.main"] if ours == [(True,)] else homes  # a file may be called so


def connect(database: str = ":memory:", **options: Any) -> Connection:
    """Open a DuckDB connection that also understands ANONYMIZE.

    Parameters
    ----------
    database : str
        Path of a database file, or ``':memory:'``.
    **options
        As for ``duckdb.connect``.
    """
    return Connection(register(duckdb.connect(database, **options)))


def releases(con: duckdb.DuckDBPyConnection | Connection) -> list[Certificate]:
    """Return the certificates of all audited releases of the connection's DuckDB instance, oldest first."""
    return con.session.releases if isinstance(con, Connection) else session_of(con).releases


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

    def execute(self, query: Any, parameters: Any = None) -> Self:
        """Run statements, as ``DuckDBPyConnection.execute``."""
        self._run(self.raw.execute, query, self.raw.execute, parameters)
        return self

    def executemany(self, query: Any, parameters: Any = None) -> Self:
        """Run a statement once per set of parameters, as ``DuckDBPyConnection.executemany``."""
        self._run(self.raw.executemany, query, self.raw.execute, parameters)
        return self

    def sql(self, query: Any, **options: Any) -> Any:
        """Return a relation, as ``DuckDBPyConnection.sql``; it runs when its rows are asked for."""
        return self._run(self.raw.sql, query, self.raw.sql, **options)

    query = sql
    from_query = sql

    def cursor(self) -> Connection:
        """Return a second connection to the same database, with everything registered."""
        return Connection(register(self.raw.cursor()))

    def interrupt(self) -> None:
        """Stop the running statement, also a solver at work."""
        self.session.interrupt()
        self.raw.interrupt()

    def finish(self) -> bool:
        """Let a solver at work end its search: its best release so far is audited and given; False if there is none yet."""
        return self.session.finish()

    def watch(self, progress: Progress | None) -> None:
        """Let ``progress`` hear of running releases: a `Moment` with the step, the share done, the cost and the bound."""
        self.session.watch(progress)

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
        return functools.partial(run, self.session, asked, value) if callable(value) else value

    def _rewritten(self, query: Any, ask: Callable[[str], Any]) -> Any:
        """Return the query as DuckDB takes it; stored policies are read by ``ask``, in the transaction of the connection."""
        if not isinstance(query, str) or "anonymiz" not in query.casefold():
            return query
        from kanon_sql.clause import rewrite  # sqlglot is only paid for where the word occurs

        return rewrite(query, _release_of_query, Policies(lambda question: ask(question).fetchall()))

    def _run(self, call: Callable[..., Any], query: Any, ask: Callable[[str], Any], *arguments: Any, **options: Any) -> Any:
        """Run statements; those that hold a release fail without words of DuckDB that may quote values."""
        sent = self._rewritten(query, ask)
        asked = Asked.of(query, sent)
        # What was prepared is not bound again when it is executed.
        asked.released = asked.released or (self._prepared and _EXECUTES.search(asked.text) is not None)
        self._asked = asked
        try:
            return run(self.session, asked, call, sent, *arguments, **options)
        finally:
            self._prepared = self._prepared or (asked.released and _PREPARES.search(asked.text) is not None)


def _release_of_query(body: str, policy: Policy) -> str:
    return checked_release(body, policy, query=True)
