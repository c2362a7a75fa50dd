"""The commands that look for a policy: ``kanon profile`` and ``kanon suggest``."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.interrupt import interruptible
from kanon_sql.cli.options import delimiter_option, json_option, show, table_option
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.replaced_policy import differences
from kanon_sql.cli.streams import format_option, source_place
from kanon_sql.cli.terminal import lines_of
from kanon_sql.cli.text_file import text_of
from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.template import TEMPLATES

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.model.suggested_policy import Suggestion

_NAMES = ("column", "type", "distinct", "NULL", "unique", "role", "reason")


@click.command()
@click.argument("file", metavar="FILE")
@table_option
@delimiter_option
@format_option
@json_option
def profile(file: str, table: str | None, delimiter: str, ending: str, as_json: bool) -> None:
    """Show what the columns of a table contain.

    Also shows the role that each column of FILE seems to have, but no cell value.
    """
    import duckdb
    from rich.console import Console

    from kanon_sql.engines.duckdb.files.tables import columns, load
    from kanon_sql.engines.duckdb.guarantees import audit_macros

    con = audit_macros(duckdb.connect(), ("profile",))

    def work() -> list[tuple[Any, ...]]:
        with closing(con):
            load(con, place, into="source", delimiter=delimiter)
            found = {row[0]: row for row in con.execute("FROM profile('source')").fetchall()}
            return [found[name] for name in columns(con, "source")]

    with source_place(file, table, ending) as place:
        rows = interruptible(con.interrupt, work, patience=PATIENCE)
    count = rows[0][5]
    if as_json:
        reported = [dict(zip(_NAMES, (*row[:5], *row[6:]), strict=True)) for row in rows]
        click.echo(json.dumps({"rows": count, "columns": reported}))
        return
    console = Console(highlight=False)
    console.print(lines_of(_NAMES, ((*row[:5], *row[6:]) for row in rows), title=how_many(count, "row")))


@click.command()
@click.argument("file", metavar="TABLE")
@click.option(
    "-o", "--output", "target", metavar="POLICY", help="A .yaml, .json or .sql file.  [default: SQL on the standard output]"
)
@click.option("--k", type=int, help="Minimum number of rows per class.  [default: 5, or that of the template]")
@click.option("--template", metavar="NAME", help=f"Start from a rule: {', '.join(TEMPLATES)}.")
@click.option("--queries", metavar="FILE.sql", help="SELECT statements that the release will be asked.")
@click.option("--name", default="suggested", show_default=True, help="Name of the policy.")
@table_option
@delimiter_option
@click.option("--force", is_flag=True, help="Replace POLICY if it exists.")
@json_option
def suggest(
    file: str,
    target: str | None,
    k: int | None,
    template: str | None,
    queries: str | None,
    name: str,
    table: str | None,
    delimiter: str,
    force: bool,
    as_json: bool,
) -> None:
    """Suggest a policy for a table.

    TABLE is a file or FILE.duckdb::TABLE. Each column gets a role, with its reason and no cell value.

    If a column repeats people, the guarantee counts people. A column that is not recognized may have no role. Give it
    one: until then no release returns it.
    """
    import duckdb

    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import load
    from kanon_sql.engines.duckdb.policies.suggestion import suggestion
    from kanon_sql.model.policy_file import kind_of, written

    place = Place.of(file, table)
    ending = None if target is None or target.lower().endswith(".sql") else kind_of(target)
    if target is not None and Path(target).exists() and not force:
        raise SourceError(f"{target} exists; hint: --force replaces it")
    queried = None if queries is None else text_of(queries)
    con = duckdb.connect()

    def work() -> Suggestion:
        with closing(con):
            load(con, place, into="source", delimiter=delimiter)
            options = {"template": template, "queries": queried}
            return suggestion(con, "source", k=k, name=name, table_as=stored_as(place), **options, known=True)

    found = interruptible(con.interrupt, work, patience=PATIENCE)
    text = found.sql if ending is None else written([found.policy], ending, _comments(found))
    if target is not None:
        changed = differences(target, text, found.policy)
        put_text(text, Path(os.path.realpath(target)), replace=force)
        if changed:
            show([("changed", line) for line in changed], err=True)
    if as_json:
        roles = [{"column": each.column, "role": each.role, "reason": each.reason} for each in found.roles]
        reported = {"written": target, "policy": text if target is None else None, "columns": roles, "notes": list(found.notes)}
        reported["undecided"] = list(found.undecided)
        click.echo(json.dumps(reported))
        return
    if target is None:
        click.echo(text, nl=False)
        return
    notes = [("note", each) for each in found.notes]
    if found.undecided:
        notes.append(("decide", f"{', '.join(found.undecided)}: no release returns a column that has no role in {target}"))
    show([("written", target), *((each.column, f"{each.role}: {each.reason}") for each in found.roles), *notes])


def _comments(found: Suggestion) -> list[str]:
    """Return what a YAML file says about the columns that have no role yet."""
    if not found.undecided:
        return []
    return [
        "Write each of these columns under identifiers, quasi_identifiers or kept. Until then no release returns it.",
        *found.questions,
    ]


def stored_as(place: Place) -> str:
    """Return the table that the policy is for, as SQL spells it: that of a database, or one called as the file is."""
    from kanon_sql.model.validation import as_identifier

    if place.table is not None:
        return ".".join(map(as_identifier, place.name[-1:] if place.name[0] == "main" else place.name))
    return as_identifier(place.path.name[: -len(place.ending)])
