"""A released database as a folder of Parquet files, with the certificates next to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import duckdb

from kanon_sql.engines.duckdb.database.fingerprint import fingerprint
from kanon_sql.engines.duckdb.database.plan import CERTIFICATES, COLUMNS
from kanon_sql.engines.duckdb.files.places import plain
from kanon_sql.engines.duckdb.files.staging import write_text
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.errors import AuditError, PolicyError, SourceError, raise_alone

_NAME = re.compile(r"\w[\w .-]*")

_RELEASES = f"SELECT release, certificate, fingerprint FROM {CERTIFICATES}"  # noqa: S608


def require_file_names(releases: Iterable[str]) -> None:
    """Check that each release can be the name of a file.

    Raises
    ------
    PolicyError
        When one cannot.
    """
    for each in releases:
        if not _NAME.fullmatch(each):
            raise PolicyError(f'the release name "{each}" cannot be a file name; hint: choose a different release name')


def parquet_folder(database: Path, folder: Path) -> Path:
    """Write each table of a released database into a file of a new folder, and compare it with the audited rows.

    Raises
    ------
    AuditError
        When a Parquet file does not hold the same rows, as of a type that Parquet does not have.
    SourceError
        When a file cannot be written.
    """
    folder.mkdir(mode=0o700)
    with duckdb.connect(str(database), read_only=True) as con:
        for release, certificate, stated in con.execute(_RELEASES).fetchall():
            file = _copy(con, release, folder)
            if fingerprint(con, f"system.main.read_parquet({literal(str(file))})") != stated:
                raise AuditError(
                    f'the Parquet file for "{release}" differs from the audited table in rows or types; nothing was released; '
                    "hint: release into a DuckDB file, or cast the columns whose types change"
                )
            write_text(certificate, folder / f"{release}.certificate.json")
        for each in (CERTIFICATES, COLUMNS):
            _copy(con, each, folder)
    return folder


def _copy(con: duckdb.DuckDBPyConnection, table: str, folder: Path) -> Path:
    file = folder / f"{table}.parquet"
    try:
        con.execute(f"COPY main.{quoted(table)} TO {literal(str(file))} (FORMAT parquet)")
    except duckdb.Error as error:
        raise_alone(SourceError(f"cannot write {file.name}: {plain(error)}"))
    file.chmod(0o600)
    return file
