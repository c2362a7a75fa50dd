"""The command ``kanon tune``: the policy that answers given queries best under a guarantee."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import (
    column_names,
    dialect_options,
    drop_option,
    json_option,
    per_row_option,
    show,
    table_option,
    text_of,
)
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.reports import quiet_option
from kanon_sql.cli.streams import read_table
from kanon_sql.cli.suggestions import stored_as
from kanon_sql.cli.terminal import busy
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.model.suggested_policy import Suggestion
    from kanon_sql.report.tuning import Tried, Tuned


@click.command(cls=GroupedCommand)
@click.argument("source", metavar="SOURCE")
@click.option("--queries", required=True, metavar="FILE.sql", help="SELECT statements to run on the release.")
@click.option("--k", default=5, show_default=True, metavar="K", help="Minimum number of rows per class.")
@click.option(
    "--qi",
    multiple=True,
    metavar="A,B",
    help="Quasi-identifiers; repeatable.  [default: the roles that kanon suggest proposes]",
)
@click.option(
    "--per", metavar="A", help="Count people, identified by this column, instead of rows. This column is not released."
)
@per_row_option
@drop_option
@click.option(
    "-o", "--output", "target", metavar="POLICY", help="A .yaml, .json or .sql file.  [default: SQL on standard output]"
)
@click.option(
    "--time-limit",
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for the search. The default policy always runs to completion.",
)
@click.option("--name", default="tuned", show_default=True, metavar="NAME", help="Name of the policy.")
@table_option
@dialect_options
@click.option("--force", is_flag=True, help="Replace existing files.")
@json_option
@quiet_option
def tune(
    source: str,
    queries: str,
    k: int,
    qi: tuple[str, ...],
    per: str | None,
    per_row: bool,
    drop: tuple[str, ...],
    target: str | None,
    time_limit: float,
    name: str,
    table: str | None,
    dialect: Dialect,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the policy that answers your queries best.

    Searches for the weights, levels and masks that minimize the median query error of the release.

    The guarantee is k-anonymity plus the diversity that `kanon suggest` proposes. The result is never worse than the default
    policy.

    With --qi, all other columns are released unchanged. Without --qi, columns get the roles that `kanon suggest` proposes.

    The search reads SOURCE, so the guarantee does not cover the choice of policy.
    """
    from kanon_sql.engines.duckdb.connect.connection import connect
    from kanon_sql.engines.duckdb.files.csv_cells import give_types
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import columns
    from kanon_sql.model.policy_file import kind_of, written
    from kanon_sql.report.tuned_policy import tuned

    place = Place.of(source, table, dialect)
    ending = None if target is None or target.lower().endswith(".sql") else kind_of(target, ".sql")
    if target is not None and Path(target).exists() and not force:
        raise SourceError(f"{target} exists; hint: pass --force to replace it")
    text = text_of(queries)
    con = connect()

    best_so_far: list[Tried] = []

    def announce(best: Tried, count: int) -> None:
        if not quiet and best not in best_so_far[-1:]:
            best_so_far.append(best)
            click.echo(f"{how_many(count, 'release')}: median error {best.errors.median or 0.0:.2%}", err=True)

    def work() -> tuple[Tuned, Suggestion]:
        with closing(con):
            read_table(con.raw, place)
            if place.kind in ("csv", "tsv"):
                give_types(con.raw, "source")
            known = columns(con.raw, "source")
            return tuned(
                con,
                text,
                k=k,
                quasi_identifiers=column_names(qi, known) if qi else None,
                drop=column_names(drop, known),
                per=per,
                per_row=per_row,
                name=name,
                table_as=stored_as(place),
                seconds=time_limit,
                announce=announce,
            )

    with busy("trying policies", shown=not quiet):
        found, suggested = interruptible(con.raw.interrupt, work, patience=PATIENCE)
    policy = suggested.sql if ending is None else written([suggested.policy], ending)
    if target is not None:
        put_text(policy, Path(os.path.realpath(target)), replace=force)
    figures = _figures(found)
    if as_json:
        click.echo(json.dumps({"written": target, "policy": policy if target is None else None, **figures}))
    elif target is None:
        click.echo(policy, nl=False)
    elif not quiet:
        show([("written", target), *((name.replace("_", " "), value) for name, value in figures.items())])


def _figures(found: Tuned) -> dict[str, Any]:
    return {
        "default_median_error": found.default.errors.median,
        "median_error": found.best.errors.median,
        "default_error_95": found.default.errors.most,
        "error_95": found.best.errors.most,
        "groups_lost": found.best.errors.lost,
        "releases": found.releases,
        "seconds": round(found.seconds, 1),
    }
