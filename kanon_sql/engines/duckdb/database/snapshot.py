"""One state of the source: a database that is open only for reading, in one transaction, next to the file that is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines.duckdb.files.places import plain
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.validation import same_name

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.connect.connection import Connection

STAGE = '"kanon#stage"'
"""The database that is written."""

_TAKEN = {"memory", "system", "temp", "kanon", "main"}
"""Names that a source cannot have next to what a connection has already."""


@contextmanager
def snapshot(con: Connection, source: Path, written: Path, allowed_files: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """Open the source for reading and a new database for writing, in one transaction that is committed in the end.

    Parameters
    ----------
    con : Connection
        A new one, in memory; afterwards it is of no use.
    source : Path
        A DuckDB file. It is the current database, under the name of the file.
    written : Path
        A file that is not there yet, in a private directory, where memory spills, too.
    allowed_files : iterable of str or PathLike
        As for `kanon_sql.connect`.

    Raises
    ------
    SourceError
        When the source cannot be read.

    Notes
    -----
    Queries of policies reach no file but the allowed ones: DuckDB opens no other from here on.
    """
    allowed = [os.path.realpath(os.path.expanduser(os.fspath(each))) for each in allowed_files]
    name = source.stem if same_name(source.stem) not in _TAKEN else "source"
    con.execute(f"SET temp_directory = {literal(str(written.parent / 'spill'))}")
    con.execute("SET enable_progress_bar = false")
    con.execute("SET python_enable_replacements = false")
    try:
        con.execute(f"ATTACH {literal(str(source))} AS {quoted(name)} (READ_ONLY)")
    except duckdb.IOException as error:
        raise_alone(SourceError(f"cannot read {source}: {plain(error)}"))
    except duckdb.Error:
        raise_alone(SourceError(f"{source} is open in this program; hint: close its connection first"))
    con.execute(f"ATTACH {literal(str(written))} AS {STAGE}")
    for setting, kept in (("allowed_paths", os.path.isfile), ("allowed_directories", os.path.isdir)):
        con.execute(f"SET {setting} = [{', '.join(literal(each) for each in allowed if kept(each))}]")
    con.execute("SET enable_external_access = false")
    con.execute(f"USE {quoted(name)}")
    con.execute("BEGIN TRANSACTION")
    yield
    con.execute("COMMIT")
    con.execute("USE memory")
    con.execute(f"DETACH {STAGE}")
    os.chmod(written, 0o600)
