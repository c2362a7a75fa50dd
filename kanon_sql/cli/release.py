"""The command that releases a whole database: ``kanon release``."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.options import allow_file_option, json_option, secret_option, show
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.terminal import release_bar, table_of, without_bar
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.certificate import Certificate
    from kanon_sql.engines.duckdb.database.plan import PlannedRelease
    from kanon_sql.engines.duckdb.database.release import DatabaseRelease
    from kanon_sql.solvers.budget import Moment

_OF_SOURCE = ("prices", "scale", "unit", "policy", "number")
"""Fields of a certificate that nobody reads on a screen."""


@click.command()
@click.argument("source", metavar="SOURCE.duckdb")
@click.option("-o", "--output", "target", required=True, metavar="PUBLIC.duckdb", help="The new database, or the new folder.")
@click.option("--policies", metavar="FILE", help="A .yaml or .json file of policies.  [default: the policies stored in SOURCE]")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["duckdb", "parquet"]),
    default="duckdb",
    show_default=True,
    help="parquet writes a folder with one file for each release, and the certificates next to them.",
)
@click.option("--explain", is_flag=True, help="Print the releases in their order, and write nothing.")
@secret_option
@allow_file_option
@json_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
def release(
    source: str,
    target: str,
    policies: str | None,
    kind: str,
    explain: bool,
    secret: bytes | None,
    allowed_files: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Release several tables of the database SOURCE into a new one: all of them, or none.

    Each policy releases its table, or the rows of its query. All of them see one state of SOURCE. Tables of facts show the
    columns of their people as the table of people does.

    PUBLIC appears only after all releases have been audited, written and read again. It also has the tables kanon_certificates
    and kanon_columns.
    """
    from kanon_sql.engines.duckdb.database.release import DatabaseRelease

    job = DatabaseRelease.of(source, target, policies=policies, format=kind)
    if explain:
        _explain(job.plan)
        return
    certificates = _run(job, secret, allowed_files, quiet)
    if as_json:
        told = {
            name: {field: value for field, value in each.to_dict().items() if field not in _OF_SOURCE}
            for name, each in certificates.items()
        }
        click.echo(json.dumps({"written": str(job.into), "releases": told}))
    elif not quiet:
        show([("written", str(job.into)), *((name, _line(each)) for name, each in certificates.items())])


def _run(job: DatabaseRelease, secret: bytes | None, allowed_files: tuple[str, ...], quiet: bool) -> dict[str, Certificate]:
    """Make the releases; Ctrl-C stops them, and nothing is written."""
    import kanon_sql
    from kanon_sql.cli.interrupt import interruptible

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

        def work() -> dict[str, Certificate]:
            with closing(con):
                return job.run(con, allowed_files, hear)

        return interruptible(interrupt, work, finish=con.finish, patience=PATIENCE)


def _line(certificate: Certificate) -> str:
    """Return what became of a release in one line."""
    share = certificate.suppressed_cells / certificate.cells if certificate.cells else 0.0
    told = f"{', '.join(certificate.requirements)}; {how_many(certificate.rows, 'row')}; {share:.1%} of the cells suppressed"
    return f"{told}; {certificate.saving}"


def _explain(plan: list[PlannedRelease]) -> None:
    """Print the releases in their order, with the roles of the columns."""
    from rich.console import Console
    from rich.text import Text

    rows = [
        (
            each.name,
            "a query" if each.policy.query is not None else each.policy.table,
            ", ".join(requirement.describe() for requirement in each.policy.policy.requirements),
            "" if each.person is None else each.person.describe(),
            "; ".join(f"{role}: {', '.join(columns)}" for role, columns in _roles(each)),
        )
        for each in plan
    ]
    console = Console(highlight=False)
    console.print(table_of(("release", "source", "guarantee", "person", "columns"), rows))
    for risk in _risks(plan):
        console.print(Text(risk), soft_wrap=True)


def _risks(plan: list[PlannedRelease]) -> Iterator[str]:
    """Yield what several tables could reveal together, as far as the policies say it."""
    apart = [each.name for each in plan if each.person is None and each.key is None]
    if len(plan) > 1 and apart:
        yield f"without a person, nothing compares their columns with those of other tables: {', '.join(apart)}"
    tokens = [each.name for each in plan if each.policy.pseudonyms]
    if tokens:
        yield f"tokens link rows; the release counts what they reveal together: {', '.join(tokens)}"


def _roles(planned: PlannedRelease) -> Iterator[tuple[str, list[str]]]:
    policy = planned.policy
    roles = {
        "dropped": policy.identifiers,
        "tokens": policy.pseudonyms,
        "group": policy.groups,
        "BY": [qi.column for qi in policy.policy.quasi_identifiers],
        "sensitive": policy.policy.sensitive,
        "unchanged": policy.kept,
    }
    return ((role, list(columns)) for role, columns in roles.items() if columns)
