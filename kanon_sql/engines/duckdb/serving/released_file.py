"""A released database that is opened for reading: every table in it has a certificate, and the rows that were audited."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.certificate.history_certificate import Stated, stated
from kanon_sql.engines.duckdb.database.audit import audit_database, is_released
from kanon_sql.engines.duckdb.database.plan import CERTIFICATES, COLUMNS
from kanon_sql.engines.duckdb.files.places import plain
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import AuditError, SourceError, raise_alone

SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "threads": "2",
}
"""Settings of DuckDB with which a query reaches nothing but the open database."""

_CERTIFICATES = f"SELECT release, certificate FROM {CERTIFICATES} ORDER BY release ASC NULLS LAST"  # noqa: S608

_COLUMNS = f'SELECT release, "column", role, done FROM {COLUMNS}'  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTable:
    """A release in the database."""

    name: str  # the table
    certificate: Stated  # what is proven about it
    columns: tuple[tuple[str, str, str, str], ...]  # for each column its name, its type, its role, and what was done to it


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedFile:
    """A database that was checked."""

    path: Path  # where it is
    tables: tuple[ServedTable, ...]  # what is in it
    stamp: tuple[int, ...]  # what tells whether another file has taken its place, or it was written to

    def is_there(self) -> bool:
        """Return whether the file is the one that was checked."""
        return _stamp(self.path) == self.stamp


def _stamp(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def opened(path: Path, megabytes: int) -> Iterator[Any]:
    """Open a database for reading, cut off from everything else."""
    con = duckdb.connect(str(path), read_only=True, config={**SETTINGS, "memory_limit": f"{megabytes}MB"})
    try:
        con.execute("SET lock_configuration = true")
        yield con
    finally:
        con.close()


def released_file(path: str | os.PathLike[str], megabytes: int) -> ReleasedFile:
    """Check a released database.

    Parameters
    ----------
    path : str or PathLike
        A file that `release_database` wrote.
    megabytes : int
        Memory for reading it.

    Raises
    ------
    SourceError
        When it cannot be read, or is no released database.
    AuditError
        When anything in it has no certificate, or other rows than those that were audited.

    Notes
    -----
    The audit of `audit_database`.
    """
    place = Path(os.path.realpath(os.path.expanduser(os.fspath(path))))
    if not place.is_file():
        raise SourceError(f"there is no database {place}")
    if not is_released(place):
        raise SourceError(f"{place} was not written by kanon release; hint: run kanon release SOURCE.duckdb -o PUBLIC.duckdb")
    stamp = _stamp(place)
    try:
        broken = audit_database(place).broken
        if broken:
            raise AuditError(f"{'; '.join(broken)}; hint: serve a file that kanon release has written")
        with opened(place, megabytes) as con:
            found = ReleasedFile(path=place, tables=tuple(_served(con)), stamp=stamp)
    except duckdb.Error as error:
        raise_alone(SourceError(f"cannot read {place}: {plain(error)}"))
    if not found.is_there():
        raise SourceError(f"{place} was replaced while it was being checked; hint: try again")
    return found


def _served(con: Any) -> Iterator[ServedTable]:
    roles = {(release, column): (role, done) for release, column, role, done in con.execute(_COLUMNS).fetchall()}
    for name, text in con.execute(_CERTIFICATES).fetchall():
        columns = con.execute(f"SELECT column_name, column_type FROM (DESCRIBE main.{quoted(name)})").fetchall()  # noqa: S608
        yield ServedTable(
            name=name,
            certificate=stated(text),
            columns=tuple((column, kind, *roles.get((name, column), ("unknown", ""))) for column, kind in columns),
        )
