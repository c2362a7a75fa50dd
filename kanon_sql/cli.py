"""The command ``kanon``. Heavy imports stand inside the commands, so that ``kanon --help`` answers at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kanon_sql.cli_options import (
    column_names,
    delimiter_option,
    qi_option,
    secret_option,
    sensitive_options,
    show,
    table_option,
)
from kanon_sql.cli_policies import policy as policy_commands
from kanon_sql.cli_reports import frontier, report
from kanon_sql.engines.measures import record
from kanon_sql.errors import AuditError, KanonError, SourceError
from kanon_sql.interrupt import interruptible, stopping_signals
from kanon_sql.publish import PATIENCE, audit_macros, evidence_path, release_file, tables_beside
from kanon_sql.staging import staging_beside
from kanon_sql.terminal import figures, progress

if TYPE_CHECKING:
    from kanon_sql.policy import Policy


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(1)


class Kanon(click.Group):
    """A group whose commands end with one line ``error: ...`` and exit code 1, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn what went wrong into a line."""
        try:
            with stopping_signals():
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


def _assigned(values: Iterable[str], option: str, form: str) -> dict[str, str]:
    """Read values of the form ``name=what``."""
    found = {}
    for value in values:
        name, equals, what = value.rpartition("=")
        if not equals or not name:
            raise click.BadParameter(f"{value} is not of the form {form}", param_hint=option)
        found[name] = what
    return found


@click.group(cls=Kanon, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="kanon-sql", prog_name="kanon")
def main() -> None:
    """Release tables in which nobody stands out."""


@main.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "target", required=True, metavar="OUT", help="Where the release goes; its ending says how.")
@qi_option
@click.option("--k", default=2, show_default=True, help="Least number of rows that look alike.")
@click.option("--per", metavar="A", help="The column that tells people apart: --k counts people, and OUT is without it.")
@sensitive_options
@click.option(
    "--mask",
    "masks",
    multiple=True,
    metavar="A,B",
    help="Permitted columns to show together, such as 'zip IN DIGITS (3),age'; repeatable; '' shows none.",
)
@click.option("--linked", multiple=True, metavar="A,B", help="Columns suppressed together or not at all; repeatable.")
@click.option("--weight", "weights", multiple=True, metavar="A=3", help="Cost of suppressing a cell of a column; repeatable.")
@click.option(
    "--recode",
    "recodings",
    multiple=True,
    metavar="A=HOW",
    help="How cells are coarsened before they are suppressed, such as 'zip=DIGITS' or 'age=INTERVALS (5, 10)'; repeatable.",
)
@click.option("--beside", multiple=True, metavar="NAME=FILE", help="A table that --recode names; repeatable.")
@click.option("--algorithm", default="auto", show_default=True, help="Name of the solver.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Take the best release found in this time.")
@click.option("--seed", default=0, show_default=True, help="Seed of the solvers that draw.")
@click.option(
    "--max-suppressed", metavar="SHARE", help="Of --algorithm full_domain: the greatest share of the rows that is suppressed."
)
@click.option("--suppress", metavar="TEXT", help="Text for suppressed cells, such as '*'.  [default: NULL]")
@click.option(
    "--row-order",
    type=click.Choice(["shuffled", "source"]),
    default="shuffled",
    show_default=True,
    help="Order of the released rows; that of the source may tell what is suppressed.",
)
@secret_option
@table_option
@delimiter_option
@click.option("--certificate", metavar="CERT.json", help="Write what is proven of the release to this file.")
@click.option("--force", is_flag=True, help="Replace OUT and CERT.json if they exist.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def anonymize(
    source: str,
    target: str,
    qi: tuple[str, ...],
    masks: tuple[str, ...],
    linked: tuple[str, ...],
    weights: tuple[str, ...],
    recodings: tuple[str, ...],
    beside: tuple[str, ...],
    metric: str | None,
    hierarchy: str | None,
    table: str | None,
    delimiter: str,
    secret: bytes | None,
    certificate: str | None,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Release the table IN as OUT: every row looks like at least k - 1 others.

    With --sensitive, rows that look alike are also diverse (--l) or like the whole table (--t) in that column.

    IN and OUT are CSV, TSV, Parquet or JSON files, or tables of a database: FILE.duckdb::TABLE. OUT appears only after
    the written file has been read again and audited.
    """
    from kanon_sql.engines.written import read_masks, read_recodings
    from kanon_sql.files import Place

    weighted = _assigned(weights, "--weight", "column=number")
    recoded = _assigned(recodings, "--recode", "column=DIGITS")
    tables = {name: Place.of(file) for name, file in _assigned(beside, "--beside", "name=file").items()}
    origin, place = Place.of(source, table), Place.of(target)
    origin.require()
    if origin.same(place):
        raise SourceError("OUT is IN; hint: release to another file, and keep the source")
    if not place.path.parent.is_dir():
        raise SourceError(f"there is no folder {place.path.parent}")
    if place.occupied() and not force:
        raise SourceError(f"{place} exists; hint: --force replaces it")

    evidence = None if certificate is None else evidence_path(certificate, (origin, place), force)
    measures, others = tables_beside(metric, hierarchy)

    from kanon_sql.policy import Policy

    def policy(columns: list[str]) -> Policy:
        chosen = column_names(qi, columns) if qi else None
        shown = [column_names([mask], columns) for mask in masks] if masks else None
        groups = [column_names([group], columns) for group in linked]
        return Policy.of(
            quasi_identifiers=chosen,
            masks=read_masks(shown),
            linked=groups,
            weights=weighted,
            recodings=read_recodings(recoded),
            **measures,
            **options,
        ).resolve(columns)

    with ExitStack() as stack:
        staging = stack.enter_context(staging_beside(place.path.parent))
        written = None
        if evidence is not None:
            written = (stack.enter_context(staging_beside(evidence.parent)) / "certificate.json", evidence)
        step = stack.enter_context(progress(not quiet))
        beside_it = others | tables
        proven = release_file(origin, place, policy, staging, delimiter, step, beside_it, written, force=force, secret=secret)
    if not quiet:
        show([("written", place), *([("certificate", evidence)] if evidence else []), *figures(proven).items()])


@main.command()
@click.argument("source", metavar="SOURCE")
@click.argument("release", metavar="RELEASE")
@click.argument("certificate", metavar="CERT.json")
@click.option("--table", metavar="NAME", help="Table of a .duckdb file SOURCE, the same as SOURCE.duckdb::NAME.")
@click.option("--metric", metavar="FILE", help="The table of distances (a, b, distance) that the policy names.")
@click.option("--hierarchy", metavar="FILE", help="The tree that the policy names.")
@click.option("--beside", multiple=True, metavar="NAME=FILE", help="A table that a recoding of the policy names; repeatable.")
@delimiter_option
def verify(
    source: str,
    release: str,
    certificate: str,
    table: str | None,
    metric: str | None,
    hierarchy: str | None,
    beside: tuple[str, ...],
    delimiter: str,
) -> None:
    """Check a release and its certificate against the source again, without solving it anew.

    Exits with code 1 and the line of the certificate at the first claim that does not hold.
    """
    import duckdb

    from kanon_sql.files import Place
    from kanon_sql.verify import verify_files

    tables = Place.of(source, table), Place.of(release)
    recoded = {name: Place.of(file) for name, file in _assigned(beside, "--beside", "name=file").items()}
    others = tables_beside(metric, hierarchy)[1] | recoded
    con = audit_macros(duckdb.connect())

    def work() -> dict[str, str]:
        return verify_files(con, *tables, certificate, delimiter, others)

    show(interruptible(con.interrupt, work, patience=PATIENCE).items(), "verified")


@main.command()
@click.argument("file")
@qi_option
@click.option("--k", type=int, help="Exit with code 1 when a class has fewer rows.")
@sensitive_options
@table_option
@delimiter_option
def audit(
    file: str,
    qi: tuple[str, ...],
    k: int | None,
    sensitive: str | None,
    metric: str | None,
    hierarchy: str | None,
    table: str | None,
    delimiter: str,
    **promised: Any,
) -> None:
    """Measure k-anonymity and the risk of re-identification of FILE; with --sensitive also l-diversity and t-closeness.

    Exits with code 1 when FILE breaks --k, --l or --t.
    """
    import duckdb

    from kanon_sql.engines.measures import demand, measure, measured_requirements
    from kanon_sql.files import Place, columns, load
    from kanon_sql.policy import Policy

    place = Place.of(file, table)
    names, beside = tables_beside(metric, hierarchy)
    measured = measured_requirements(sensitive, **names, **promised)
    con = audit_macros(duckdb.connect())

    def work() -> list[dict[str, Any]]:
        with closing(con):
            for name, each in {"source": place, **beside}.items():
                load(con, each, into=name, delimiter=delimiter)
            known = columns(con, "source")
            policy = Policy.of(quasi_identifiers=column_names(qi, known) if qi else None, requirements=measured).resolve(known)
            chosen = [each.column for each in policy.quasi_identifiers]
            queries = ("FROM k_anonymity('source', $qi)", "FROM reidentification_risk('source', $qi)")
            return [
                *(record(con, query, {"qi": chosen}) for query in queries),
                *(measure(con, requirement, chosen) for requirement in measured),
            ]

    sizes, risk, *figures = interruptible(con.interrupt, work, patience=PATIENCE)
    show(sizes.items(), "k-anonymity")
    titles = ("risk of re-identification", "l-diversity", "t-closeness")
    for title, found in zip(titles, (risk, *figures), strict=False):
        show(((name, value) for name, value in found.items() if name not in sizes), title)
    if k is not None and sizes["k"] is not None and sizes["k"] < k:
        raise AuditError(f"the smallest class has {sizes['k']} rows, fewer than k = {k}")
    for requirement, found in zip(measured, figures, strict=True):
        demand(requirement, found)


@main.command()
@click.argument("file", metavar="FILE.sql")
@click.option("--db", default=":memory:", metavar="DB", help="The DuckDB database to run in.  [default: in memory]")
@secret_option
def run(file: str, db: str, secret: bytes | None) -> None:
    """Run the SQL statements of a file, ANONYMIZE included; - reads the standard input.

    It stops at the first statement that fails and says which.
    """
    from rich.console import Console

    import kanon_sql
    from kanon_sql.script import read_input, run_script

    text = read_input(file)
    con = kanon_sql.connect(db, secret=secret)
    run_script(con, text, Console(highlight=False), name="stdin" if file == "-" else file, patience=PATIENCE)
    con.close()


@main.command()
@click.argument("db", default=":memory:")
@click.option("--read-only", is_flag=True, help="Open the database without writing to it.")
@secret_option
def shell(db: str, read_only: bool, secret: bytes | None) -> None:
    """Talk SQL with a database; with a pipe, run what comes through it."""
    from rich.console import Console

    import kanon_sql
    from kanon_sql.script import read_input, run_script
    from kanon_sql.shell import interactive

    con = kanon_sql.connect(db, secret=secret, read_only=read_only)
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

    con = kanon_sql.connect()

    def work() -> None:
        show(con, Console(highlight=False), rows=rows, k=k, seed=seed)

    interruptible(con.interrupt, work, finish=con.finish, patience=PATIENCE)
    con.close()


main.add_command(policy_commands)
main.add_command(report)
main.add_command(frontier)


if __name__ == "__main__":
    main()
