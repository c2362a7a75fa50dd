"""A whole database from file to file: all its releases, or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.engines import announcing
from kanon_sql.engines.duckdb.connect.connection import connect
from kanon_sql.engines.duckdb.database.audit import DatabaseAudit, audit_database, columns_of
from kanon_sql.engines.duckdb.database.one_table import ReleasedTable, Releasing
from kanon_sql.engines.duckdb.database.parquet import parquet_folder, require_file_names
from kanon_sql.engines.duckdb.database.plan import PlannedRelease, planned_releases
from kanon_sql.engines.duckdb.database.public_tables import write_public_tables
from kanon_sql.engines.duckdb.database.snapshot import snapshot
from kanon_sql.engines.duckdb.files.places import plain
from kanon_sql.engines.duckdb.files.staging import put, staging_directory
from kanon_sql.engines.duckdb.policies.stored_policies import stored_policies
from kanon_sql.errors import AuditError, PolicyError, SourceError, raise_alone
from kanon_sql.model.policy_names import for_rows
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import one_of

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import Stated
    from kanon_sql.engines.duckdb.connect.connection import Connection
    from kanon_sql.solvers.budget import Moment

Heard = Callable[[str, int, int, "Moment | None"], None]
"""Hears of the release that is made, how many are done, how many there are, and where the solver stands; may raise to stop."""

FORMATS = ("duckdb", "parquet")

_NAME = "SELECT database_name FROM system.main.duckdb_databases() WHERE path IS NOT NULL"


def release_database(
    source: str | os.PathLike[str],
    into: str | os.PathLike[str],
    *,
    policies: str | os.PathLike[str] | Sequence[StoredPolicy] | None = None,
    format: str = "duckdb",  # noqa: A002 - as the command says it
    secret: str | bytes | None = None,
    allowed_files: Iterable[str | os.PathLike[str]] = (),
    progress: Heard | None = None,
) -> dict[str, Stated]:
    """Release several tables of a database into a new one: all of them, or none.

    Parameters
    ----------
    source : str or PathLike
        A DuckDB file. It is opened for reading only; no other process can write to it meanwhile.
    into : str or PathLike
        The new DuckDB file, or the new folder of Parquet files; only its owner may read it.
    policies : str, PathLike or sequence of StoredPolicy, optional
        A file of policies, or the policies; by default those stored in the source.
    format : str
        ``'duckdb'``, or ``'parquet'``: one file for each release, with its certificate next to it.
    secret, allowed_files : optional
        As for `kanon_sql.connect`.
    progress : callable, optional
        Called with the name of a release, how many are done, how many there are, and a `Moment` while the solver runs.

    Returns
    -------
    dict of Certificate or HistoryCertificate
        By the names of the releases, in their order.

    Raises
    ------
    SourceError
        When the source cannot be read, or ``into`` exists or cannot be written.
    PolicyError
        When a policy is wrong, or does not fit its table.
    InfeasibleError, AuditError
        When a table has no release that meets its guarantee. Then nothing is released.

    Examples
    --------
    >>> import tempfile, kanon_sql
    >>> folder = Path(tempfile.mkdtemp())
    >>> with kanon_sql.connect(str(folder / "clinic.duckdb")) as con:
    ...     _ = con.execute("CREATE TABLE patients AS SELECT i AS patient, i % 2 AS zip FROM range(12) AS t(i)")
    ...     _ = con.execute("CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER patient; BY zip; GUARANTEE k >= 5)")
    >>> certificates = release_database(folder / "clinic.duckdb", folder / "public.duckdb")
    >>> certificates["patients"].smallest_class
    6
    """
    allowed = list(allowed_files)
    job = DatabaseRelease.of(source, into, policies=policies, format=format)
    with closing(connect(secret=secret, allowed_files=allowed)) as con:
        return job.run(con, allowed, progress).certificates


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedDatabase:
    """What became of the release of a database."""

    certificates: dict[str, Stated]  # by the names of the releases, in their order
    audit: DatabaseAudit  # what was measured in the file that was written
    columns: list[tuple[str, str, str, str]]  # for each column its release, its name, its role, and what was done to it


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseRelease:
    """The release of a database: from where, into what, and in which order."""

    source: Path  # the database
    into: Path  # what is written
    plan: list[PlannedRelease]  # the releases
    format: str  # one of `FORMATS`
    surface: Surface  # The surface. Errors name its options.

    @classmethod
    def of(
        cls,
        source: str | os.PathLike[str],
        into: str | os.PathLike[str],
        *,
        policies: str | os.PathLike[str] | Sequence[StoredPolicy] | None,
        format: str,  # noqa: A002
    ) -> DatabaseRelease:
        """Check the arguments; arguments and errors as for `release_database`."""
        one_of(format, FORMATS, "the format of a database")
        origin, place = (Path(os.path.realpath(os.path.expanduser(os.fspath(each)))) for each in (source, into))
        _require_places(origin, place)
        plan = planned_releases(_policies_of(origin, policies))
        if format == "parquet":
            require_file_names([each.name for each in plan])
        surface: Surface = "policy" if policies is None else "json"
        return cls(source=origin, into=place, plan=plan, format=format, surface=surface)

    def run(self, con: Connection, allowed_files: Iterable[str | os.PathLike[str]], progress: Heard | None) -> ReleasedDatabase:
        """Make all releases, compare what was written with them, and put it in its place in one step.

        Parameters
        ----------
        con : Connection
            A new one, in memory, with the secret.
        allowed_files, progress
            As for `release_database`.
        """
        hear = progress or _deaf
        with staging_directory(self.into.parent) as staging:
            written = staging / "released.duckdb"
            with snapshot(con, self.source, written, allowed_files):
                work, tables = Releasing(con, self.surface), list[ReleasedTable]()
                for planned in self.plan:
                    work.settle(planned)
                for planned in self.plan:
                    step = partial(hear, planned.name, len(tables), len(self.plan))
                    step(None)
                    con.watch(step if progress is not None else None)
                    tables.append(work.release(planned))
                write_public_tables(con, tables)
            audit, columns = _require_audited(written), columns_of(written)
            finished = written if self.format == "duckdb" else parquet_folder(written, staging / "released")
            hear("writing", len(tables), len(tables), None)
            put(finished, self.into, replace=False)
        if audit.warnings:
            announcing.announce([replace(tables[-1].certificate, warnings=tuple(audit.warnings))])
        certificates = {each.planned.name: each.certificate for each in tables}
        return ReleasedDatabase(certificates=certificates, audit=audit, columns=columns)


def _deaf(_release: str, _done: int, _count: int, _moment: Moment | None) -> None:
    """Hear of nothing."""


def _require_audited(written: Path) -> DatabaseAudit:
    """The last gate: what was written is opened again, and audited as any reader would.

    Raises
    ------
    AuditError
        When a table has other rows than the audited ones, or does not meet its guarantee.
    """
    found = audit_database(written)
    if found.broken:
        raise AuditError(f"{'; '.join(found.broken)}; nothing was released")
    return found


def _require_places(source: Path, into: Path) -> None:
    """Check where the source is and where the releases go.

    Raises
    ------
    SourceError
        When there is no source, or something is in the place of the new database.
    """
    if not source.is_file():
        raise SourceError(f"there is no database {source}")
    with source.open("rb") as file:
        if file.read(12)[8:] != b"DUCK":
            raise SourceError(
                f"cannot read {source}: it is not a DuckDB database; hint: use kanon anonymize to release one file"
            )
    if into.exists() or into.is_symlink():
        raise SourceError(f"{into} exists; hint: choose a new name")
    if not into.parent.is_dir():
        raise SourceError(f"there is no folder {into.parent}; hint: create it first, or choose a different one")


def _policies_of(source: Path, policies: str | os.PathLike[str] | Sequence[StoredPolicy] | None) -> list[StoredPolicy]:
    """Return the policies of a file, or those stored in the source."""
    if isinstance(policies, str | os.PathLike):
        from kanon_sql.model.policy_file import kind_of, read, text_of

        path = os.fspath(policies)
        kind_of(path)
        return for_rows(read(text_of(path), path))
    if policies is not None:
        if not all(isinstance(each, StoredPolicy) for each in policies):
            raise PolicyError("policies must be a file name or a list of StoredPolicy")
        return list(policies)
    try:
        with duckdb.connect(str(source), read_only=True) as con:
            name = con.execute(_NAME).fetchall()[0][0]
            return for_rows(stored_policies(lambda query: con.execute(query).fetchall(), name) or [])
    except duckdb.Error as error:
        raise_alone(SourceError(f"cannot read {source}: {plain(error)}"))
