"""The command ``kanon``. Heavy imports stand inside the commands, so that ``kanon --help`` answers at once."""

from __future__ import annotations

import csv
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kanon_sql.errors import AuditError, KanonError, SourceError

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.files import Place
    from kanon_sql.policy import Policy

PATIENCE = 5.0
"""Seconds that a command waits for its work to stop before it leaves it behind."""

STEPS = ("reading", "solving", "writing", "auditing")


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(1)


class Kanon(click.Group):
    """A group whose commands end with one line ``error: ...`` and exit code 1, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn what went wrong into a line."""
        try:
            with _signals():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("error: interrupted", err=True)
            sys.stdout.flush()
            # Work that did not stop would hold the interpreter, or crash it, at the usual exit.
            os._exit(1)
        except BrokenPipeError:
            raise
        except (KanonError, OSError) as error:
            _fail(str(error))
        except Exception as error:
            import duckdb

            if not isinstance(error, duckdb.Error):
                raise
            from kanon_sql.files import plain

            _fail(plain(error))


@contextmanager
def _signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP stop the work as Ctrl-C does, so that what must be removed is removed."""
    names = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]

    def stop(*_: object) -> None:
        # Only once: a second signal must not break off the cleaning up.
        for name in names:
            signal.signal(name, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {name: signal.signal(name, stop) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _names(values: Iterable[str], columns: list[str]) -> list[str]:
    """Split comma lists of column names; a value that is itself a column is one name, and quotes protect commas."""
    found: list[str] = []
    for value in values:
        split = [value] if value in columns else next(csv.reader([value], skipinitialspace=True), [])
        found += [name if name in columns else name.strip() for name in split if name.strip()]
    return found


def _weights(values: Iterable[str]) -> dict[str, str]:
    weights = {}
    for value in values:
        name, equals, number = value.rpartition("=")
        if not equals or not name:
            raise click.BadParameter(f"{value} is not of the form column=number", param_hint="--weight")
        weights[name] = number
    return weights


@contextmanager
def _progress(shown: bool) -> Iterator[Callable[[str], None]]:
    """Give a function that announces a step; on a terminal a bar shows it, elsewhere nothing does."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda _: None
        return
    parts = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*parts, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(STEPS))
        yield lambda step: progress.update(task, description=f"{step:<8}", completed=STEPS.index(step))


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """Give a private directory beside the output; it and all in it are removed in the end, whatever happens."""
    try:
        # The same file system, so that the finished file can be renamed into place.
        directory = tempfile.TemporaryDirectory(prefix=".kanon-", dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise SourceError(f"cannot write in the folder {folder}: {error.strerror}") from None
    with directory as name:
        yield Path(name)


def _macros(con: Any) -> Any:
    """Define the audit macros on a plain DuckDB connection: no solver of this package is involved in an audit."""
    from importlib import resources

    for name in ("k_anonymity", "reidentification_risk"):
        con.execute(resources.files("kanon_sql.sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
    return con


def _record(con: Any, query: str, values: object) -> dict[str, Any]:
    con.execute(query, values)
    names = [column[0] for column in con.description]
    return dict(zip(names, con.fetchall()[0], strict=True))


def _verify(written: Place, policy: Policy, rows: int, delimiter: str) -> None:
    """Read the written file again and audit it: the last gate before anything is put in its place."""
    import duckdb

    from kanon_sql.files import load

    with closing(_macros(duckdb.connect())) as con:
        load(con, written, into="released", delimiter=delimiter)
        count = con.execute("SELECT count(*) FROM released").fetchall()[0][0]
        if count != rows:
            raise AuditError(f"the written file has {count} rows, the source {rows}; nothing was released")
        columns = [qi.column for qi in policy.quasi_identifiers]
        k = _record(con, "FROM k_anonymity('released', $qi)", {"qi": columns})["k"] if rows else None
        if k is not None and k < policy.least_class_size:
            raise AuditError(f"the written file has a class of {k} rows, below {policy.least_class_size}; nothing was released")


def _show(pairs: Iterable[tuple[str, object]], title: str | None = None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        grid.add_row(Text(name, style="cyan"), Text("-" if value is None else str(value), overflow="fold"))
    if title:
        console.print(Text(title, style="bold"))
    console.print(grid)


qi_option = click.option(
    "--qi", multiple=True, metavar="A,B", help="Quasi-identifiers; repeat it or separate by commas.  [default: every column]"
)
table_option = click.option("--table", metavar="NAME", help="Table of a .duckdb file, the same as FILE.duckdb::NAME.")
delimiter_option = click.option("--delimiter", default=",", metavar="CHAR", help="Separator of CSV files.  [default: ,]")


@click.group(cls=Kanon, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="kanon-sql", prog_name="kanon")
def main() -> None:
    """Release tables in which nobody stands out."""


@main.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "target", required=True, metavar="OUT", help="Where the release goes; its ending says how.")
@qi_option
@click.option("--k", default=2, show_default=True, help="Least number of rows that look alike.")
@click.option(
    "--mask", "masks", multiple=True, metavar="A,B", help="Permitted columns to show together; repeatable; '' shows none."
)
@click.option("--weight", "weights", multiple=True, metavar="A=3", help="Cost of suppressing a cell of a column; repeatable.")
@click.option("--algorithm", default="auto", show_default=True, help="Name of the solver.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Take the best release found in this time.")
@click.option("--seed", default=0, show_default=True, help="Seed of the solvers that draw.")
@click.option("--suppress", metavar="TEXT", help="Text for suppressed cells, such as '*'.  [default: NULL]")
@table_option
@delimiter_option
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def anonymize(
    source: str,
    target: str,
    qi: tuple[str, ...],
    masks: tuple[str, ...],
    weights: tuple[str, ...],
    table: str | None,
    delimiter: str,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Release the table IN as OUT: every row looks like at least k - 1 others.

    IN and OUT are CSV, TSV, Parquet or JSON files, or tables of a database: FILE.duckdb::TABLE. OUT appears only after
    the written file has been read again and audited.
    """
    from kanon_sql.files import Place

    weighted = _weights(weights)
    origin, place = Place.of(source, table), Place.of(target)
    origin.require()
    if origin.same(place):
        raise SourceError("OUT is IN; hint: release to another file, and keep the source")
    if not place.path.parent.is_dir():
        raise SourceError(f"there is no folder {place.path.parent}")
    if place.occupied() and not force:
        raise SourceError(f"{place} exists; hint: --force replaces it")

    from kanon_sql.policy import Policy

    def policy(columns: list[str]) -> Policy:
        chosen = _names(qi, columns) if qi else None
        shown = [_names([mask], columns) for mask in masks] if masks else None
        return Policy.of(quasi_identifiers=chosen, masks=shown, weights=weighted, **options).resolve(columns)

    with _staging(place.path.parent) as staging, _progress(not quiet) as step:
        certificate = _release(origin, place, policy, staging, delimiter, step)
    if not quiet:
        from kanon_sql.demo import figures

        _show([("written", place), *figures(certificate).items()])


def _release(
    origin: Place,
    place: Place,
    policy_for: Callable[[list[str]], Policy],
    staging: Path,
    delimiter: str,
    step: Callable[[str], None],
) -> Certificate:
    """Read, solve, write, audit, publish."""
    import kanon_sql
    from kanon_sql.files import columns, load, publish, stage
    from kanon_sql.shell import interruptible

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
            con.execute("CREATE TABLE released AS SELECT * FROM anonymize('source', ?)", [policy.to_json()])
            certificate: Certificate = kanon_sql.releases(con)[-1]
            go_on()
            step("writing")
            staged = stage(con, "FROM released", place, staging=staging, delimiter=delimiter)
            step("auditing")
            _verify(staged, policy, rows, delimiter)
            go_on()
            publish(con, staged, place)
            return certificate

    return interruptible(interrupt, work, patience=PATIENCE)


@main.command()
@click.argument("file")
@qi_option
@click.option("--k", type=int, help="Exit with code 1 when a class has fewer rows.")
@table_option
@delimiter_option
def audit(file: str, qi: tuple[str, ...], k: int | None, table: str | None, delimiter: str) -> None:
    """Measure k-anonymity and the risk of re-identification of FILE."""
    import duckdb

    from kanon_sql.files import Place, columns, load
    from kanon_sql.policy import Policy
    from kanon_sql.shell import interruptible

    place = Place.of(file, table)
    con = _macros(duckdb.connect())

    def work() -> tuple[dict[str, Any], dict[str, Any]]:
        with closing(con):
            load(con, place, into="source", delimiter=delimiter)
            known = columns(con, "source")
            policy = Policy.of(quasi_identifiers=_names(qi, known) if qi else None).resolve(known)
            chosen = {"qi": [each.column for each in policy.quasi_identifiers]}
            queries = ("FROM k_anonymity('source', $qi)", "FROM reidentification_risk('source', $qi)")
            sizes, risk = (_record(con, query, chosen) for query in queries)
            return sizes, risk

    sizes, risk = interruptible(con.interrupt, work, patience=PATIENCE)
    _show(sizes.items(), "k-anonymity")
    _show(((name, value) for name, value in risk.items() if name not in sizes), "risk of re-identification")
    if k is not None and sizes["k"] is not None and sizes["k"] < k:
        raise AuditError(f"the smallest class has {sizes['k']} rows, fewer than k = {k}")


@main.command()
@click.argument("file", metavar="FILE.sql")
@click.option("--db", default=":memory:", metavar="DB", help="The DuckDB database to run in.  [default: in memory]")
def run(file: str, db: str) -> None:
    """Run the SQL statements of a file, ANONYMIZE included; - reads the standard input.

    It stops at the first statement that fails and says which.
    """
    from rich.console import Console

    import kanon_sql
    from kanon_sql.shell import read_input, run_script

    text = read_input(file)
    con = kanon_sql.connect(db)
    run_script(con, text, Console(highlight=False), name="stdin" if file == "-" else file, patience=PATIENCE)
    con.close()


@main.command()
@click.argument("db", default=":memory:")
@click.option("--read-only", is_flag=True, help="Open the database without writing to it.")
def shell(db: str, read_only: bool) -> None:
    """Talk SQL with a database; with a pipe, run what comes through it."""
    from rich.console import Console

    import kanon_sql
    from kanon_sql.shell import interactive, read_input, run_script

    con = kanon_sql.connect(db, read_only=read_only)
    if sys.stdin.isatty():
        interactive(con, Console(highlight=False))
    else:
        run_script(con, read_input("-"), Console(highlight=False), name="stdin", patience=PATIENCE)
    con.close()


@main.command()
@click.option("--rows", default=2000, show_default=True, type=click.IntRange(1, 1_000_000), help="Patients to invent.")
@click.option("--k", default=5, show_default=True, help="Least number of rows that look alike.")
@click.option("--seed", default=7, show_default=True, type=click.IntRange(0), help="Seed of the invented table.")
def demo(rows: int, k: int, seed: int) -> None:
    """Invent a hospital table, release it, and show what happened to it."""
    from rich.console import Console

    import kanon_sql
    from kanon_sql.demo import show
    from kanon_sql.shell import interruptible

    con = kanon_sql.connect()
    interruptible(con.interrupt, lambda: show(con, Console(highlight=False), rows=rows, k=k, seed=seed), patience=PATIENCE)
    con.close()


if __name__ == "__main__":
    main()
