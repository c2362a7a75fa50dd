"""COPY of a release: what it writes appears whole in one step, or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from kanon_sql.engines.duckdb.connect.caller import as_caller
from kanon_sql.engines.duckdb.files.staging import put, staging_directory
from kanon_sql.engines.duckdb.names import literal
from kanon_sql.engines.duckdb.versions import BUSY, TARGET_IS_FIRST_PARAMETER
from kanon_sql.errors import SourceError, raise_alone

if TYPE_CHECKING:
    from kanon_sql.clause.copies import Target

_MENTIONED = re.compile(r"\b(copy|execute)\b", re.IGNORECASE)
_ANALYZED = re.compile(r"\banalyze\b.*\bcopy\b", re.IGNORECASE | re.DOTALL)

_BINDING = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.InternalException,  # DuckDB 1: the file is a parameter that is no text
    duckdb.InvalidInputException,
    duckdb.IOException,
)
"""Errors of a statement that cannot be bound, which it gives again when it is run."""

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")

Run = Callable[[Any, Any], Any]
"""Runs the text of statements with the parameters of the last one."""


def run(
    raw: duckdb.DuckDBPyConnection, last: Run, query: Any, parameters: Any, *, many: bool = False, written: str = ""
) -> Any:
    """Run statements; a COPY whose query releases writes into a private directory, and then appears in one step.

    Parameters
    ----------
    raw : DuckDBPyConnection
        The connection.
    last : callable
        Runs the last statement.
    query : str or Statement
        The statements.
    parameters : object
        Those of the last statement.
    many : bool
        Whether ``parameters`` is a list of them, for one run each.
    written : str
        The statements as the user wrote them, if they were rewritten: a release is long, and takes as long to parse as to bind.

    Raises
    ------
    SourceError
        When the file cannot be written in one step.

    Notes
    -----
    Whatever is no COPY of a release reaches DuckDB byte for byte: its plan tells, so views and macros are looked through.
    """
    text = query.query if isinstance(query, duckdb.Statement) else query
    if not isinstance(text, str) or not _MENTIONED.search(written or text):
        return last(query, parameters)
    try:
        statements = raw.extract_statements(text)
    except TypeError:  # half of a surrogate pair is no text
        return last(query, parameters)
    kinds = {duckdb.StatementType.COPY, duckdb.StatementType.EXECUTE, duckdb.StatementType.EXPLAIN}
    if not any(each.type in kinds for each in statements):
        return last(query, parameters)
    *before, final = statements
    for each in before:
        _statement(raw, partial(as_caller, raw.execute), each, each.query, None, False)
    return _statement(raw, last, final, final.query if before else query, parameters, many)


def _statement(
    raw: duckdb.DuckDBPyConnection, call: Run, statement: duckdb.Statement, query: Any, parameters: Any, many: bool
) -> Any:
    text, kind = statement.query, statement.type
    example = parameters[0] if many and parameters else parameters
    if kind == duckdb.StatementType.COPY and _writes_release(raw, text, example):
        if not many:
            return _staged(raw, call, text, parameters)
        for each in parameters:
            _staged(raw, partial(as_caller, raw.execute), text, each)
        return raw
    if kind == duckdb.StatementType.EXPLAIN and _ANALYZED.search(text):
        from kanon_sql.clause.copies import copied_text

        copy = copied_text(text)
        if copy is not None and _writes_release(raw, copy, example):
            raise SourceError("EXPLAIN ANALYZE would write a release piece by piece; hint: use EXPLAIN without ANALYZE")
    if kind == duckdb.StatementType.EXECUTE and _writes_release(raw, text, example):
        raise SourceError("a prepared COPY would write a release piece by piece; hint: run the COPY directly, with parameters")
    return call(query, parameters)


def _writes_release(raw: duckdb.DuckDBPyConnection, text: str, parameters: Any) -> bool:
    """Return whether the plan of a statement writes to a file, and has a step of a release: those carry our names."""
    try:
        rows = _rows_of(raw, f"EXPLAIN (FORMAT json) {text}", parameters)
    except _BINDING:
        return False
    plan = "".join(row[-1] for row in rows)
    return "kanon#" in plan and "COPY_TO_FILE" in plan


def _rows_of(raw: duckdb.DuckDBPyConnection, text: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]]
    try:
        rows = as_caller(raw.sql, text, params=parameters).fetchall()
    except BUSY:  # the rows of an earlier statement are still waited for: the COPY lets go of them
        rows = as_caller(raw.execute, text, parameters).fetchall()
    return rows


def _staged(raw: duckdb.DuckDBPyConnection, call: Run, text: str, parameters: Any) -> Any:
    """Run one COPY of a release."""
    from kanon_sql.clause.copies import target_of  # sqlglot is only loaded where a release is copied

    target = target_of(text, first=TARGET_IS_FIRST_PARAMETER)
    place = _place(raw, _value(raw, text, target, parameters))
    with staging_directory(place.parent) as staging:
        folder = staging / "out"
        folder.mkdir()
        staged = folder / place.name
        if target.parameter is None:
            done = call(text[: target.start] + literal(str(staged)) + text[target.stop :], parameters)
        else:
            done = call(text, _replaced(parameters, target.parameter, str(staged)))
        _put(folder, place, target)
        return done


def copied_to(raw: duckdb.DuckDBPyConnection, text: str) -> Path:
    """Return the file or folder to which a COPY statement without parameters has written."""
    from kanon_sql.clause.copies import target_of

    return Path(_at_home(raw, _value(raw, text, target_of(text), None)))


def _put(folder: Path, place: Path, target: Target) -> None:
    """Put what a COPY has written in its place."""
    try:
        written = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise_alone(SourceError(f"the private folder next to {place} has vanished: {error.strerror}; nothing was written"))
    if place.name in written and len(written) == 1:
        put(folder / place.name, place, replace=True)
    elif written:
        raise SourceError(f"this format writes several files, so {place} cannot be created in one step; nothing was written")
    elif not target.optional:
        raise SourceError(f"the file written for {place} has vanished from its private folder; nothing was written")


def _value(raw: duckdb.DuckDBPyConnection, text: str, target: Target, parameters: Any) -> str:
    """Return the name that the statement writes to."""
    if target.parameter is None:
        value = _rows_of(raw, f"SELECT {text[target.start : target.stop]}")[0][0]
    else:
        value = parameters[target.parameter]
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise SourceError("the file name of a release must be a string; hint: write COPY (...) TO 'released.csv'")
    return str(os.fspath(value))


def _replaced(parameters: Any, which: str | int, value: str) -> Any:
    return [*parameters[:which], value, *parameters[which + 1 :]] if isinstance(which, int) else {**parameters, which: value}


def _place(raw: duckdb.DuckDBPyConnection, name: str) -> Path:
    """Return the file or folder that a COPY names.

    Raises
    ------
    SourceError
        When it is none that can appear in one step.
    """
    if "://" in name or name.startswith("file:"):
        raise SourceError(
            f"a release cannot be written in one step to an address such as {name.partition(':')[0]}:; "
            "hint: COPY it to a local file, and upload the file"
        )
    path = Path(os.path.realpath(_at_home(raw, name)))
    if path.is_dir():
        if any(path.iterdir()):
            raise SourceError(f"{path} exists; hint: choose a new folder, because only new folders can be written in one step")
    elif os.path.abspath(name).startswith(_STREAMS) or (path.exists() and not path.is_file()):
        raise SourceError(
            f"a release cannot be written to {name} in one step, because it is not a regular file; "
            "hint: COPY it to a file, and send the file"
        )
    if not path.parent.is_dir():
        raise SourceError(f"there is no folder {path.parent}; hint: create it first, or choose a different one")
    return path


def _at_home(raw: duckdb.DuckDBPyConnection, name: str) -> str:
    if not name.startswith("~"):
        return name
    home = _rows_of(raw, "SELECT system.main.current_setting('home_directory')")[0][0]
    return (home or os.path.expanduser("~")) + name[1:]
