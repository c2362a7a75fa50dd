"""The SQL functions and macros of kanon-sql, put on a DuckDB connection."""

from __future__ import annotations

import atexit
import functools
import os
import re
import secrets
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.resources import files
from typing import Any

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.connect.shadowing import refuse_namesakes
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import SourceError, raise_alone

_FIRST = ("unit", "columns", "release", "hashes")
"""Modules of `kanon_sql.udfs` that hold the functions of `RELEASING`."""

_MODULES = (
    *_FIRST,
    "plans",
    "explain",
    "gate",
    "histories",
    "cells",
    "certificates",
    "protect",
    "ledger",
    "anonymize",
    "labels",
    "guarantees",
)
"""All modules of `kanon_sql.udfs`; each has its ``FUNCTIONS``, and some have ``MACROS``."""

RELEASING = frozenset(
    {
        "kanon_plan_unit",
        "kanon_unit",
        "kanon_begin",
        "kanon_gather",
        "kanon_fit",
        "kanon_pieces",
        "kanon_keyed_hash",
        "kanon_column",
        "kanon_columns_known",
        "kanon_audited",
    }
)
"""The functions that releases call under most guarantees, and those that these call in texts."""

_WITHOUT_PYTHON = "greedy_release"
"""The macro behind the releases in plain SQL."""

_SCHEMA = "kanon"
"""Attached in-memory database that holds the macros for cursors, which do not see temporary ones."""

_CREATE, _TEMPORARY = "CREATE OR REPLACE MACRO ", "CREATE OR REPLACE TEMP MACRO "

_CALLS = re.compile(r"(\w+)\(")

_SESSIONS: weakref.WeakValueDictionary[int, Session] = weakref.WeakValueDictionary()

_OPEN: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
"""Connections that own functions; DuckDB reports them as leaks on stderr unless they are closed before Python ends."""


_KEPT: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, Session] = weakref.WeakKeyDictionary()
"""The session of each registered connection, and with it the functions: DuckDB lets go of them with the connection that brought
them, though others of the instance may still call them."""

REGISTERING = threading.RLock()
"""Two threads that make the same functions or macros at once would be in each other's way."""


@atexit.register
def _close_all() -> None:
    _parsed.cache_clear()
    for con in list(_OPEN):
        con.close()


def session_of(con: duckdb.DuckDBPyConnection, secret: str | bytes | None = None) -> Session:
    """Return the session of the connection's DuckDB instance; registers the functions if they are not there yet."""
    if not hasattr(con, "cursor"):
        raise SourceError(f"{type(con).__name__} is not a connection; hint: pass duckdb.connect() or kanon_sql.connect()")
    with REGISTERING:
        with con.cursor() as cursor:  # not on the connection itself, which may be in the middle of a result
            try:
                session = _SESSIONS[cursor.execute("SELECT system.main.kanon_session()").fetchall()[0][0]]
            except (duckdb.CatalogException, duckdb.BinderException, KeyError):  # none, or a macro that is called so
                session = None
        if session is None:
            return new_session(con, secret)
        if secret is not None:
            session.share(secret)
        return session


def new_session(
    con: duckdb.DuckDBPyConnection, secret: str | bytes | None = None, functions: Iterable[Function] | None = None
) -> Session:
    """Register the functions on a new DuckDB instance; `session_of` asks it first, which takes longer where there is none."""
    with REGISTERING:
        session = Session(secret)
        _OPEN.add(con)
        number = secrets.randbits(62)  # a macro of the database cannot guess it
        _SESSIONS[number] = session
        _create(con, "kanon_session", session.keep(lambda: number), [], "BIGINT")
        _create_functions(con, session, _functions(_MODULES) if functions is None else functions)
        return session


def _create_functions(con: duckdb.DuckDBPyConnection, session: Session, functions: Iterable[Function]) -> None:
    for function in functions:
        _create(
            con,
            function.name,
            session.keep(function.bound(session)),
            None if function.parameters is None else list(function.parameters),
            function.returns,
            type=PythonUDFType.ARROW if function.arrow else PythonUDFType.NATIVE,
            null_handling=FunctionNullHandling.SPECIAL,
            side_effects=function.side_effects,
        )


def _create(con: duckdb.DuckDBPyConnection, name: str, *arguments: Any, **options: Any) -> None:
    try:
        con.create_function(name, *arguments, **options)
    except duckdb.CatalogException:
        raise_alone(SourceError(f"the macro {name} has the same name as a kanon-sql function; hint: drop the macro"))


def _functions(modules: Iterable[str]) -> Iterator[Function]:
    return (function for name in modules for function in _udf(name).FUNCTIONS)


def macros() -> list[str]:
    """Return the text behind CREATE MACRO of every table macro: the table functions, then the audit."""
    ours = _ours()
    return [*ours.values(), *(text for name, text in _files() if name not in ours and name != _WITHOUT_PYTHON)]


def without_python() -> list[str]:
    """Return the text behind CREATE MACRO of the releases in plain SQL, which our functions replace, and of what they call."""
    ours = _ours()
    return [text for name, text in _files() if name in ours or name == _WITHOUT_PYTHON]


def _ours() -> dict[str, str]:
    return _named(text for module in table_functions() for text in module.MACROS)


def _named(texts: Iterable[str]) -> dict[str, str]:
    """Return the texts behind CREATE MACRO by the names that they begin with."""
    return {text.partition("(")[0]: text for text in texts}


def _files() -> Iterator[tuple[str, str]]:
    """Yield the name and the text behind CREATE MACRO of each macro in a file."""
    paths = {path.name.removesuffix(".sql"): path for path in files("kanon_sql.sql").iterdir() if path.name.endswith(".sql")}
    if "kanon" not in paths:
        raise SourceError("the macros in plain SQL are not built; hint: run python build_sql.py in the checkout")
    for name in sorted(paths.keys() - {"kanon"}):
        text = paths[name].read_text(encoding="utf-8")
        yield name, text[text.index(_CREATE) + len(_CREATE) :].rstrip().rstrip(";")


def table_functions() -> list[Any]:
    """Return the modules of the table functions, each with its ``MACROS``."""
    return [module for module in map(_udf, _MODULES) if hasattr(module, "MACROS")]


def _udf(name: str) -> Any:
    return import_module(f"kanon_sql.udfs.{name}")


def install(
    con: duckdb.DuckDBPyConnection, secret: str | bytes | None, allowed_files: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Create the functions and macros on a connection; see `kanon_sql.register`."""
    with REGISTERING:
        session = session_of(con, secret)
        session.allowed_files.allow(allowed_files)
        _serve(con, session)
        temporary_macros(con.execute)
        refuse_namesakes(con, without_python())
        share_macros(con)


def first_session(con: duckdb.DuckDBPyConnection, maker: duckdb.DuckDBPyConnection) -> Session:
    """Register what releases call on a connection that nobody has used yet, through another connection to its database."""
    session = new_session(maker, functions=(each for each in _functions(_FIRST) if each.name in RELEASING))
    _OPEN.add(con)
    _serve(con, session)
    return session


def further_functions(maker: duckdb.DuckDBPyConnection, session: Session) -> None:
    """Register what `first_session` has not."""
    _create_functions(maker, session, (each for each in _functions(_MODULES) if each.name not in RELEASING))


def _serve(con: duckdb.DuckDBPyConnection, session: Session) -> None:
    _KEPT[con] = session
    session.serve(con)


def temporary_macros(execute: Callable[[duckdb.Statement], Any]) -> None:
    """Create the macros that a connection has for itself; those of a database file cannot take their place."""
    for statement in _parsed(_TEMPORARY):
        execute(statement)


def named_macros(con: duckdb.DuckDBPyConnection, names: Iterable[str]) -> set[str]:
    """Create the temporary macros of these names, and those that they call; return all these names."""
    texts = _named(macros())
    found, wanted = set[str](), set(names)
    while wanted:
        name = wanted.pop()
        found.add(name)
        if name in texts:  # else a word of a file that holds something else
            con.execute(_TEMPORARY + texts[name])
            wanted |= set(_CALLS.findall(texts[name])) & texts.keys() - found
    return found


def share_macros(con: duckdb.DuckDBPyConnection) -> None:
    """Create the macros that the cursors of a connection have.

    Notes
    -----
    A transaction of its own, because a single one may write to one database only. It does not see functions that were
    registered inside an open transaction; then there are none for cursors yet.
    """
    with con.cursor() as cursor, suppress(duckdb.CatalogException):
        for home in _homes(cursor):
            cursor.execute(f"USE {home}")
            for statement in _parsed(_CREATE):
                cursor.execute(statement)


@functools.cache
def _parsed(create: str) -> list[duckdb.Statement]:
    """Return the statements that create the macros; DuckDB parses them once, which takes longer than to run them."""
    with duckdb.connect() as con:  # no setting of the user decides how they are read
        return [statement for text in macros() for statement in con.extract_statements(create + text)]


def _homes(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the schemas outside the user's files that all cursors see."""
    database, path, readonly = cursor.execute(
        "SELECT database_name, path, readonly FROM system.main.duckdb_databases() "
        "WHERE database_name = system.main.current_database()"
    ).fetchall()[0]
    homes = [] if path or readonly else [f"{quoted(database)}.main"]
    try:
        cursor.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {_SCHEMA}")
    except duckdb.CatalogException:  # an instance opened read-only holds no second database
        return homes
    ours = "SELECT path IS NULL FROM system.main.duckdb_databases() WHERE database_name = $1"
    in_memory = cursor.execute(ours, [_SCHEMA]).fetchall() == [(True,)]  # a file may be called so
    return [*homes, f"{_SCHEMA}.main"] if in_memory else homes
