"""The source of protected tables that a command or Python reads, and the file that remembers them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.cells.table_record import Memory, lasting_name
from kanon_sql.engines.duckdb.cells.tables_read import fingerprint
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.files.places import Place, plain
from kanon_sql.engines.duckdb.files.tables import load
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.tabulation import named_table

_LEDGER, _SOURCE = "kanon_ledger_file", "kanon_input"
"""The names under which a ledger and a source are attached."""

_NAMELESS = "a table without a file"
"""The source of tables of Python and of pipes: all of them in a ledger may be about the same people."""

_HINTS: dict[Surface, str] = {"command": "pass --ledger research.duckdb", "python": 'pass ledger="research.duckdb"'}

_FORGOTTEN = (
    "This table is not remembered: its source is not in a database, so later tables of the same people are not compared with "
    "it; "
    "hint: {}"
)


def read_source(
    con: Any,
    session: Session,
    place: Place,
    *,
    into: str,
    ledger: str | os.PathLike[str] | None,
    piped: bool = False,
) -> None:
    """Give a connection the source of protected tables, and its session the place where they are remembered.

    Parameters
    ----------
    con : connection
        A DuckDB connection; `let_go` takes the files from it again.
    place : Place
        The source. A table of a database is read where it is, so that its own file remembers what is made of it.
    into
        As for `load`.
    ledger : str or PathLike, optional
        The database file that remembers the tables instead; it is made if it is not there.
    piped : bool
        Whether the source came through a pipe, so that its file has no lasting name.

    Raises
    ------
    SourceError
        When a file cannot be read, or the ledger cannot be written.
    """
    place.require()
    stored = place.kind == "duckdb"
    other_file = ledger is not None and not (stored and Path(os.path.realpath(ledger)) == place.path)
    if stored:
        writable = not other_file and os.access(place.path, os.W_OK)
        _attach(con, place.path, _SOURCE, writable=writable)
        try:
            con.execute(f"CREATE VIEW {quoted(into)} AS FROM {place.within(_SOURCE)}")
        except duckdb.Error as error:
            raise_alone(SourceError(f"cannot read {place}: {plain(error)}"))
    else:
        load(con, place, into=into)
    if stored and not other_file:
        return
    where = place.pattern or place.path
    name = named_table([_NAMELESS]) if piped else lasting_name(where, *(place.name if stored else ()))
    remember(con, session, ledger, name=name, surface="command")


def remember(
    con: Any,
    session: Session,
    ledger: str | os.PathLike[str] | None,
    *,
    surface: Surface,
    name: str = named_table([_NAMELESS]),
    frame: str | None = None,
) -> None:
    """Let a session remember the protected tables of its source in a ledger; warn of each if there could be one and is none.

    ``frame`` is the source if it is no table of a database; then DuckDB does not count its rows by itself.

    Raises
    ------
    SourceError
        When the ledger cannot be written.
    """
    if ledger is None and surface not in _HINTS:
        return
    if ledger is None:
        session.protected_tables.memory = Memory(name=name, warning=_FORGOTTEN.format(_HINTS[surface]))
        return
    path = ledger_path(ledger)
    if not session.secret.repeatable:
        raise SourceError(
            f"the table cannot be recorded in {path}: the secret is lost when this process ends, so the record could not be "
            "verified later; hint: set KANON_SECRET to a permanent secret"
        )
    _attach(con, path, _LEDGER, writable=True)
    mark = _fingerprint(con, frame) if frame is not None else None
    session.protected_tables.memory = Memory(name=name, database=_LEDGER, fingerprint=mark)


def _fingerprint(con: Any, frame: str) -> str:
    """Return the fingerprint that a table with the rows and columns of a frame has."""
    rows = con.execute(f"SELECT system.main.count(*) FROM {quoted(frame)}")  # noqa: S608
    ((count,),) = rows.fetchall()
    names = [name for name, *_ in con.execute(f"DESCRIBE FROM {quoted(frame)}").fetchall()]
    return fingerprint(
        con.execute("SELECT system.main.concat_ws(' ', $1, CAST($2 AS VARCHAR))", [count, names]).fetchall()[0][0]
    )


def let_go(con: Any) -> None:
    """Take the files of `read_source` from a connection."""
    attached = {name for (name,) in con.execute("SELECT database_name FROM system.main.duckdb_databases()").fetchall()}
    for name in (_SOURCE, _LEDGER):
        if name in attached:
            con.execute(f"DETACH {name}")


def comparable(con: Any, session: Session, table: str) -> Sequence[Counting]:
    """Return what was counted for earlier tables of a source.

    Raises
    ------
    SourceError
        When the source lacks a column that one of them counts by.
    """
    found = session.protected_tables.countings
    for each in found:
        selected = ", ".join((*each.keys, *each.sums, *([each.where] if each.where else [])))
        try:
            con.execute(f"DESCRIBE SELECT {selected} FROM {quoted(table)}").fetchall()  # noqa: S608
        except duckdb.Error:
            raise_alone(
                SourceError(
                    "an earlier protected table uses columns that this source no longer has, so the two tables "
                    "cannot be compared; nothing was released; hint: restore the columns, or use a different ledger for a "
                    "table of other people"
                )
            )
    return found


def ledger_path(ledger: str | os.PathLike[str]) -> Path:
    """Return the file of a ledger.

    Raises
    ------
    SourceError
        When it is no database file, or its folder is not there.
    """
    path = Place.of(os.fspath(ledger), "main").path
    if not path.parent.is_dir():
        raise SourceError(f"there is no folder {path.parent}; hint: create it first, or choose a different one")
    return path


def _attach(con: Any, path: Path, name: str, *, writable: bool) -> None:
    try:
        con.execute(f"ATTACH {literal(str(path))} AS {name}{'' if writable else ' (READ_ONLY)'}")
    except duckdb.Error as error:
        need = (
            f"; hint: close {path.name} in other programs, because it remembers protected tables, or choose a different ledger"
            if writable
            else ""
        )
        raise_alone(SourceError(f"cannot open {path}: {plain(error)}{need}"))
