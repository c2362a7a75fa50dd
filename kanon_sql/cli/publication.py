"""The work of a command that publishes a table: written next to its place, read again, audited, and only then put there."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import click

from kanon_sql.cli.options import DIALECT, dialect_options, escape_option, json_option, show, table_option
from kanon_sql.cli.streams import STREAM, format_option, read_table, source_place, target_place
from kanon_sql.cli.terminal import progress
from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.files.staging import put, staging_directory, write_text
from kanon_sql.errors import KanonError, SourceError

if TYPE_CHECKING:
    from kanon_sql.cli.terminal import Step
    from kanon_sql.engines.duckdb.files.places import Place

PATIENCE = 5.0
"""Seconds that a command waits for its work to stop before it leaves it behind."""


_OUTPUT = (
    table_option,
    escape_option("Put a quote before CSV cells that spreadsheets would run as formulas."),
    click.option("--certificate", metavar="CERT.json", help="Write the certificate to this file."),
    format_option,
    click.option("--force", is_flag=True, help="Replace existing files."),
    json_option,
    click.option("-q", "--quiet", is_flag=True, help="Print only errors and warnings."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The values of the options that all such commands have."""

    table: str | None  # the table of a database that is read
    dialect: Dialect  # how CSV files are written
    escape_formulas: bool
    certificate: str | None  # where the certificate goes
    ending: str  # the format of a pipe
    force: bool  # whether what is in their places is replaced
    as_json: bool
    quiet: bool


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options, and their values as ``output``."""

    @wraps(command)
    def with_output(*arguments: Any, **options: Any) -> None:
        output = Output(**{name: options.pop(name) for name in Output.__dataclass_fields__})
        command(*arguments, **options, output=output)

    found: Any = dialect_options(with_output)
    for option in reversed(_OUTPUT):
        found = option(found)
    return found  # type: ignore[no-any-return]


OUTPUT = (set(Output.__dataclass_fields__) - {"dialect"}) | set(DIALECT)
"""Parameters of `output_options`."""


class Certified(Protocol):
    """A certificate of either kind."""

    def to_json(self) -> str:
        """Return the text of its file."""

    def to_dict(self) -> dict[str, Any]:
        """Return its fields as plain data."""

    def figures(self) -> dict[str, str]:
        """Return its figures for people."""


C = TypeVar("C", bound=Certified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved(Generic[C]):
    """A table ``released`` that may be written."""

    certificate: C  # what is proven about it
    rows: str  # the query of its rows in their order; braces stand for the table
    audit: Callable[[Place], None]  # compares the written file with it, or audits the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What such a command has in hand."""

    origin: Place  # the source
    place: Place  # where the table goes
    staging: Path  # a private directory on the file system of ``place``
    # a private path and the place of the certificate, on one file system; it is put there right after the table
    evidence: tuple[Path, Path] | None
    output: Output  # how files are read and written
    step: Step  # hears of each step
    streamed: bool  # whether the table goes to the standard output

    @property
    def spill(self) -> dict[str, str]:
        """Return the configuration of a connection: what does not fit into memory spills into the private directory."""
        return {"temp_directory": str(self.staging / "spill")}

    def publish(self, con: Any, solve: Callable[[Callable[[], None]], Solved[C]], read: Callable[[], None] | None = None) -> C:
        """Read the source, solve, write, audit, publish; the connection is closed in the end.

        Parameters
        ----------
        con : Connection
            Gets the tables ``source`` and ``released``.
        solve : callable
            Makes the table ``released``. It calls what it gets between two statements: an interrupt there would be lost.
        read : callable, optional
            Reads the source instead of `load`.
        """
        from kanon_sql.engines.duckdb.files.csv_cells import escape
        from kanon_sql.engines.duckdb.files.tables import stage
        from kanon_sql.engines.duckdb.names import quoted
        from kanon_sql.engines.interrupt import interruptible

        stopped = threading.Event()

        def interrupt() -> None:
            stopped.set()
            con.interrupt()

        def go_on() -> None:
            if stopped.is_set():
                raise KeyboardInterrupt

        def work() -> C:
            with closing(con):
                self.step("reading")
                if read is None:
                    read_table(con, self.origin)
                else:
                    read()
                solved = solve(go_on)
                go_on()
                self.step("writing")
                shown = quoted(escape(con, "released") if self.place.escaped else "released")
                rows = solved.rows.format(shown)
                staged = stage(con, rows, self.place, staging=self.staging)
                self.step("auditing")
                solved.audit(staged)
                if self.evidence is not None:
                    write_text(solved.certificate.to_json(), self.evidence[0])
                go_on()
                _publish_both(con, staged, self.place, self.evidence, self.output.force)
                return solved.certificate

        return interruptible(interrupt, work, finish=con.finish, patience=PATIENCE)

    def tell(self, certificate: Certified, hidden: Iterable[str]) -> None:
        """Print where the files are, and the figures of the certificate; of its fields, JSON leaves out the hidden ones."""
        if self.output.quiet:
            return
        files: Mapping[str, str] = {} if self.streamed else {"written": str(self.place)}
        files = {**files, **({} if self.evidence is None else {"certificate": str(self.evidence[1])})}
        if self.output.as_json:
            figures = {name: value for name, value in certificate.to_dict().items() if name not in hidden}
            click.echo(json.dumps(files | figures), err=self.streamed)
        else:
            reported = certificate.figures()
            reported.pop("warnings", None)  # on the screen already
            show([*files.items(), *reported.items()], err=self.streamed)


@contextmanager
def publication(source: str, target: str, output: Output) -> Iterator[Publication]:
    """Check source and target, and give private directories for the work.

    Raises
    ------
    SourceError
        When the source is not there, or the table or its certificate may not go where it should.
    """
    from kanon_sql.engines.duckdb.files.csv_files import found

    with ExitStack() as stack:
        dialect = output.dialect
        origin = stack.enter_context(source_place(source, output.table, output.ending, dialect))
        origin.require()
        written = Dialect(encoding="utf-8")
        place = stack.enter_context(target_place(target, output.ending, written)).escaping(output.escape_formulas)
        if place.kind == "csv":  # a TSV file has tabs
            separator = found(origin).delimiter if origin.kind == "csv" else dialect.delimiter
            place = replace(place, dialect=replace(written, delimiter=separator))
        if place.kind == "workbook":
            raise SourceError(f"{place} is a spreadsheet, which kanon can only read; hint: pass -o {place.called}.csv")
        _check_target(origin, place, output.force)
        proof = None if output.certificate is None else _evidence_path(output.certificate, (origin, place), output.force)
        staging = stack.enter_context(staging_directory(place.path.parent))
        evidence = None
        if proof is not None:
            evidence = (stack.enter_context(staging_directory(proof.parent)) / "certificate.json", proof)
        yield Publication(
            origin=origin,
            place=place,
            staging=staging,
            evidence=evidence,
            output=output,
            step=stack.enter_context(progress(not output.quiet)),
            streamed=target == STREAM,
        )


def _evidence_path(name: str, tables: Iterable[Place], force: bool) -> Path:
    """Return where a certificate goes.

    Raises
    ------
    SourceError
        When it may not go there.
    """
    path = Path(os.path.realpath(name))
    if any(path == table.path for table in tables):
        raise SourceError("the certificate has the same path as IN or OUT; hint: choose a different path")
    if not path.parent.is_dir():
        raise SourceError(f"there is no folder {path.parent}; hint: create it first, or choose a different folder")
    if path.exists() and not path.is_file():
        raise SourceError(f"{path} is not a file; hint: choose a different path")
    if path.exists() and not force:
        raise SourceError(f"{path} exists; hint: pass --force to replace it")
    return path


def _check_target(origin: Place, place: Place, force: bool) -> None:
    """Refuse a target that is the source, a pattern, in no folder, or there already."""
    if place.pattern is not None:
        raise SourceError(f"{place} is a pattern or a URL, which can only be read; hint: write to a single file")
    if origin.same(place):
        raise SourceError("OUT is the same file as IN; hint: choose a different OUT")
    if not place.path.parent.is_dir():
        raise SourceError(f"there is no folder {place.path.parent}; hint: create it first")
    if place.occupied() and not force:
        raise SourceError(f"{place} exists; hint: pass --force to replace it")


def _publish_both(con: Any, staged: Place, place: Place, evidence: tuple[Path, Path] | None, force: bool) -> None:
    """Put the release in its place, then its certificate: both, or neither.

    Notes
    -----
    At no moment, whoever is killed, a certificate lies next to a release that is not its own: an old one goes first, and the
    new one comes last.
    """
    from kanon_sql.engines.duckdb.files.tables import publish, withdraw

    if evidence is None:
        publish(con, staged, place, replace=force)
        return
    fresh, proof = evidence
    old = fresh.with_name("old")
    if force:
        with suppress(FileNotFoundError):
            os.replace(proof, old)
    try:
        new_file = publish(con, staged, place, replace=force)
    except BaseException:
        if old.exists():
            os.replace(old, proof)
        raise
    try:
        put(fresh, proof, replace=force)
    except KanonError:
        if not force:  # what was there before is gone
            withdraw(con, place, new_file)
        raise
