"""The command that releases a whole database: ``kanon release``."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import allow_file_option, json_option, secret_option, show
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.reports import page_target, quiet_option
from kanon_sql.cli.terminal import release_bar, table_of, without_bar
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.errors import MissingPackageError, raise_alone
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.certificate.history_certificate import Stated
    from kanon_sql.engines.duckdb.database.plan import PlannedRelease
    from kanon_sql.engines.duckdb.database.whole_database import DatabaseRelease, ReleasedDatabase
    from kanon_sql.solvers.budget import Moment

_OF_SOURCE = ("prices", "scale", "unit", "policy", "number")
"""Fields of a certificate that nobody reads on a screen."""


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="SOURCE.duckdb")
@click.option(
    "-o", "--output", "target", required=True, metavar="PUBLIC.duckdb", help="New database or folder; it must not exist yet."
)
@click.option("--policies", metavar="FILE", help="A .yaml or .json policy file.  [default: the policies stored in SOURCE]")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["duckdb", "parquet"]),
    default="duckdb",
    show_default=True,
    help="parquet writes a folder with a file and a certificate for each release.",
)
@click.option(
    "--report",
    "page",
    metavar="OUT.html",
    help="Also write a page that shows the guarantee and cost of each table, and the risks across tables.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Print the release order, column roles, and risks across tables; write nothing.",
)
@secret_option
@allow_file_option
@json_option
@quiet_option
def release(
    source: str,
    target: str,
    policies: str | None,
    kind: str,
    page: str | None,
    explain: bool,
    secret: bytes | None,
    allowed_files: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Release several tables from the database SOURCE into a new database, all or none.

    Each policy releases its table or the rows that its query returns. All policies read the same snapshot of SOURCE. Tables of
    facts show people's columns exactly as the table of people does.

    PUBLIC is created only after all releases have been audited, written and read back. It also contains the tables
    kanon_certificates and kanon_columns.
    """
    from kanon_sql.engines.duckdb.database.whole_database import DatabaseRelease

    job = DatabaseRelease.of(source, target, policies=policies, format=kind)
    if explain:
        _explain(job.plan)
        return
    path = None if page is None else page_target(page, (".html",), (job.source, job.into), force=False)
    render = None if path is None else _page()
    found = _run(job, secret, allowed_files, quiet)
    certificates = found.certificates
    if path is not None and render is not None:
        put_text(render(job.into.name, certificates, found.audit, found.columns, folder=kind == "parquet"), path, replace=False)
    written = {"written": str(job.into), **({} if path is None else {"report": str(path)})}
    if as_json:
        reported = {
            name: {field: value for field, value in each.to_dict().items() if field not in _OF_SOURCE}
            for name, each in certificates.items()
        }
        click.echo(json.dumps({**written, "releases": reported}))
    elif not quiet:
        show([*written.items(), *((name, _line(each)) for name, each in certificates.items())])


def _run(job: DatabaseRelease, secret: bytes | None, allowed_files: tuple[str, ...], quiet: bool) -> ReleasedDatabase:
    """Make the releases; Ctrl-C stops them, and nothing is written."""
    import kanon_sql
    from kanon_sql.engines.interrupt import interruptible

    stopped = threading.Event()
    con = without_bar(kanon_sql.connect(secret=secret, allowed_files=allowed_files))

    def interrupt() -> None:
        stopped.set()
        con.interrupt()

    with release_bar(not quiet) as bar:

        def hear(name: str, done: int, count: int, moment: Moment | None) -> None:
            if stopped.is_set():
                raise KeyboardInterrupt
            bar(name, done, count, moment)

        def work() -> ReleasedDatabase:
            with closing(con):
                return job.run(con, allowed_files, hear)

        return interruptible(interrupt, work, finish=con.finish, patience=PATIENCE)


def _page() -> Callable[..., str]:
    """Return what makes the page, before anything is released.

    Raises
    ------
    MissingPackageError
        When a package is missing.
    """
    try:
        from kanon_sql.report.database_page import database_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    return database_page


def _line(certificate: Stated) -> str:
    """Return what became of a release in one line."""
    reported = f"{', '.join(certificate.requirements)}; {how_many(certificate.rows, 'row')}"
    return f"{reported}; {certificate.suppressed_share:.1%} of the cells suppressed; {certificate.saving}"


def _explain(plan: list[PlannedRelease]) -> None:
    """Print the releases in their order, with the roles of the columns."""
    from rich.console import Console
    from rich.text import Text

    from kanon_sql.engines.duckdb.database.plan import risks_of, roles_of

    rows = [
        (
            each.name,
            "a query" if each.policy.query is not None else each.policy.table,
            each.policy.guarantee,
            "" if each.person is None else each.person.describe(),
            "; ".join(f"{role}: {', '.join(columns)}" for role, columns in roles_of(each)),
        )
        for each in plan
    ]
    console = Console(highlight=False)
    console.print(table_of(("release", "source", "guarantee", "person", "columns"), rows))
    for risk in risks_of(plan):
        console.print(Text(risk), soft_wrap=True)
