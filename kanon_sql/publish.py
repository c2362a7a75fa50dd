"""From file to file: the release is written beside its place, read again, audited, and only then put there."""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import AuditError, SourceError

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.files import Place
    from kanon_sql.policy import Policy
    from kanon_sql.terminal import Step

PATIENCE = 5.0
"""Seconds that a command waits for its work to stop before it leaves it behind."""


@contextmanager
def staging_beside(folder: Path) -> Iterator[Path]:
    """Give a private directory beside the output; it and all in it are removed in the end, whatever happens."""
    # The same file system, so that the finished file can be renamed into place.
    private = folder / f".kanon-{secrets.token_hex(8)}"
    try:  # from before it is made: a signal may come at any moment
        try:
            private.mkdir(mode=0o700)
        except OSError as error:
            raise SourceError(f"cannot write in the folder {folder}: {error.strerror}") from None
        yield private
    finally:
        shutil.rmtree(private, ignore_errors=True)


def evidence_path(name: str, tables: Iterable[Place], force: bool) -> Path:
    """Return where a certificate goes.

    Raises
    ------
    SourceError
        When it may not go there.
    """
    path = Path(os.path.realpath(name))
    if any(path == table.path for table in tables):
        raise SourceError("the certificate is IN or OUT; hint: give it a name of its own")
    if not path.parent.is_dir():
        raise SourceError(f"there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise SourceError(f"{path} is not a file")
    if path.exists() and not force:
        raise SourceError(f"{path} exists; hint: --force replaces it")
    return path


def audit_macros(con: Any) -> Any:
    """Define the audit macros on a plain DuckDB connection: no solver of this package is involved in an audit."""
    from importlib import resources

    for name in ("k_anonymity", "reidentification_risk"):
        con.execute(resources.files("kanon_sql.sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
    return con


def record(con: Any, query: str, values: object) -> dict[str, Any]:
    """Return the one row of a query by its column names."""
    con.execute(query, values)
    names = [column[0] for column in con.description]
    return dict(zip(names, con.fetchall()[0], strict=True))


def _verify(written: Place, policy: Policy, rows: int, delimiter: str) -> None:
    """Read the written file again and audit it: the last gate before anything is put in its place."""
    import duckdb

    from kanon_sql.files import load

    with closing(audit_macros(duckdb.connect())) as con:
        load(con, written, into="released", delimiter=delimiter)
        count = con.execute("SELECT count(*) FROM released").fetchall()[0][0]
        if count != rows:
            raise AuditError(f"the written file has {count} rows, the source {rows}; nothing was released")
        columns = [qi.column for qi in policy.quasi_identifiers]
        k = record(con, "FROM k_anonymity('released', $qi)", {"qi": columns})["k"] if rows else None
        if k is not None and k < policy.least_class_size:
            raise AuditError(f"the written file has a class of {k} rows, below {policy.least_class_size}; nothing was released")


def release_file(
    origin: Place,
    place: Place,
    policy_for: Callable[[list[str]], Policy],
    staging: Path,
    delimiter: str,
    step: Step,
    evidence: tuple[Path, Path] | None = None,
) -> Certificate:
    """Read, solve, write, audit, publish.

    Parameters
    ----------
    origin, place : Place
        The source, and where the release goes.
    policy_for : callable
        Makes the policy once the columns are known.
    staging : Path
        A private directory on the file system of ``place``.
    delimiter : str
        The separator of CSV files.
    step : Step
        Hears of each step.
    evidence : tuple of Path, optional
        A private path and the place of the certificate, on one file system; it is put there right after the release.
    """
    import kanon_sql
    from kanon_sql.files import columns, load, publish, stage
    from kanon_sql.interrupt import interruptible

    # What does not fit into memory spills into the private directory.
    con = kanon_sql.connect(config={"temp_directory": str(staging / "spill")})
    stopped = threading.Event()

    def interrupt() -> None:
        stopped.set()
        con.interrupt()

    def go_on() -> None:
        # An interrupt between two statements, or during the audit, would otherwise be lost.
        if stopped.is_set():
            raise KeyboardInterrupt

    def work() -> Certificate:
        with closing(con):
            step("reading")
            load(con, origin, into="source", delimiter=delimiter)
            policy = policy_for(columns(con, "source"))
            rows = con.execute("SELECT count(*) FROM source").fetchall()[0][0]
            go_on()
            step("solving")
            con.watch(lambda moment: step("solving", moment))
            con.execute("CREATE TABLE released AS SELECT * FROM anonymize('source', ?)", [policy.to_json()])
            certificate: Certificate = kanon_sql.releases(con)[-1]
            go_on()
            step("writing")
            staged = stage(con, "FROM released", place, staging=staging, delimiter=delimiter)
            step("auditing")
            _verify(staged, policy, rows, delimiter)
            if evidence is not None:
                write_text(certificate.to_json(), evidence[0])
            go_on()
            publish(con, staged, place)
            if evidence is not None:
                os.replace(*evidence)
            return certificate

    return interruptible(interrupt, work, finish=con.finish, patience=PATIENCE)


def write_text(text: str, path: Path) -> None:
    """Write a text file and see to it that it is on the disk.

    Raises
    ------
    SourceError
        When it cannot be written.
    """
    try:
        with path.open("wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SourceError(f"cannot write {path.name}: {error.strerror}") from None
