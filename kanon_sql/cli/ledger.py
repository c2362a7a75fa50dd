"""The commands about what was published about the same people: ``kanon ledger``."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.ledger_audit import audit, ledger_option
from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import column_names, dialect_options, given_options, json_option, rows_option, show, table_option
from kanon_sql.cli.streams import read_table
from kanon_sql.cli.terminal import busy, table_of
from kanon_sql.model.how_many import how_many

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.files.dialect import Dialect
    from kanon_sql.engines.duckdb.ledger.ledger_file import Entry
    from kanon_sql.model.published_table import PublishedRow, PublishedTable


@click.group()
def ledger() -> None:
    """Record published tables, and find out what they prove together.

    A command that fails exits with code 2.
    """


ledger.add_command(audit)


@ledger.command(cls=GroupedCommand, short_help="Add a published table to a ledger.")
@click.argument("file")
@ledger_option
@click.option("--by", multiple=True, metavar="A,B", help="Key columns; repeatable.")
@click.option("--measure", default="n", show_default=True, metavar="N", help="Column with the counts.")
@click.option("--where", metavar="SQL", help="Condition that the counted people meet, such as 'age >= 15'.")
@click.option(
    "--state", metavar="NAME", help="State of the source, such as January. Pass one for each table if people join or leave."
)
@click.option("--name", metavar="NAME", help="Name of the table in the ledger.  [default: the file name]")
@click.option(
    "--total",
    "totals",
    multiple=True,
    metavar="TEXT",
    help="Label of a total, instead of Total, All, Sum, Gesamt and others; repeatable. An empty label is always a total.",
)
@click.option(
    "--suppressed",
    multiple=True,
    metavar="TEXT",
    help="Another text for a suppressed count, next to *, c, x, .. and an empty cell; repeatable.",
)
@click.option(
    "--least", type=click.IntRange(0), default=1, show_default=True, metavar="N", help="Minimum count in a suppressed cell."
)
@click.option("--rounded", type=click.IntRange(2), metavar="B", help="The counts are rounded to multiples of B.")
@click.option(
    "--rounding",
    type=click.Choice(["nearest", "adjacent", "midpoint"]),
    default="nearest",
    show_default=True,
    help="nearest: to the nearest multiple. adjacent: up or down (controlled rounding). midpoint: to the middle of a band.",
)
@rows_option
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "acro"]),
    default="table",
    show_default=True,
    help="table: FILE has a row for each count. acro: FILE is the output folder of an ACRO session.",
)
@table_option
@dialect_options
@click.pass_context
def add(
    ctx: click.Context,
    /,
    file: str,
    path: str,
    by: tuple[str, ...],
    measure: str,
    where: str | None,
    state: str | None,
    name: str | None,
    totals: tuple[str, ...],
    suppressed: tuple[str, ...],
    least: int,
    rounded: int | None,
    rounding: str,
    rows: str,
    kind: str,
    table: str | None,
    dialect: Dialect,
) -> None:
    """Add the published table FILE to a ledger.

    FILE is a table of counts from any tool: CSV, Parquet, XLSX, JSON or a table in a database. Each row has a label for each
    key and a count. An empty label, or a label such as Total, means a total.

    Counts may be exact, suppressed (*, c, x, ..), ranges (<5, 100+) or rounded.

    With --format acro, FILE is the output folder of an ACRO session, and its tables of counts are added.
    """
    import duckdb

    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import columns
    from kanon_sql.engines.duckdb.ledger.acro_session import acro_tables
    from kanon_sql.engines.duckdb.ledger.count_texts import CountTexts
    from kanon_sql.engines.duckdb.ledger.ledger_file import add as add_tables
    from kanon_sql.engines.duckdb.ledger.ledger_file import opened
    from kanon_sql.engines.duckdb.ledger.published_counts import published_table

    if kind == "acro":
        others = [each for each in ctx.command.params if each.name not in ("file", "path", "kind", "state")]
        if given := given_options(ctx, others):
            raise click.UsageError(f"{given[0]} does not apply to an ACRO session; hint: omit {given[0]}")
        tables, remarks = acro_tables(file, state=state)
        for each in remarks:
            click.echo(each, err=True)
    else:
        if not by:
            raise click.UsageError("no key is set; hint: pass --by with the columns that the table is counted by")
        texts = CountTexts(suppressed=suppressed, least=least, rounded=rounded, rounding=rounding, decimal=dialect.decimal)
        place = Place.of(file, table, dialect)
        with busy("reading"), closing(duckdb.connect()) as reader:
            read_table(reader, place)
            published = published_table(
                reader,
                name=name or (place.called if place.kind == "duckdb" else place.path.name),
                by=column_names(by, columns(reader, "source")),
                measure=measure,
                texts=texts,
                totals=totals,
                condition=where,
                absent=rows == "absent",
                state=state,
            )
        tables = [published]
    with opened(path, writable=True) as (con, database):
        numbers = add_tables(con, database, tables)
    for number, added in zip(numbers, tables, strict=True):
        click.echo(f"table {number}: {added.name} ({_rows_of(added)})")


@ledger.command("list", short_help="List the tables of a ledger.")
@ledger_option
@json_option
def list_(path: str, as_json: bool) -> None:
    """List the tables of a ledger, those that PROTECT remembers in it included."""
    from rich.console import Console

    found = _entries(path)
    if as_json:
        click.echo(json.dumps([_described(each) for each in found]))
        return
    rows = [
        (
            each.number,
            f"{each.added_at:%Y-%m-%d}",
            each.name,
            ", ".join(each.keys),
            "everybody" if each.condition is None else each.condition,
            "not audited: add its file" if each.table is None else _rows_of(each.table),
        )
        for each in found
    ]
    if rows:
        Console(highlight=False).print(table_of(("number", "added", "name", "keys", "people", "rows"), rows))
    click.echo(how_many(len(found), "table"))


@ledger.command("show", short_help="Show a table of a ledger.")
@click.argument("number", type=int)
@ledger_option
@json_option
def show_(number: int, path: str, as_json: bool) -> None:
    """Show the table NUMBER as someone who reads it knows it."""
    from rich.console import Console

    from kanon_sql.engines.duckdb.ledger.ledger_file import entry

    found = entry(_entries(path), number)
    described = _described(found)
    rows = () if found.table is None else found.table.rows
    if as_json:
        click.echo(json.dumps(described | {"table": [_as_json(each) for each in rows]}))
        return
    texts = {"keys": ", ".join(found.keys), "audited": "yes" if described["audited"] else "no: add its published file"}
    show((described | texts).items())
    if rows:
        shown = [(*("total" if label is None else label for label in each.keys), _known(each)) for each in rows]
        Console(highlight=False).print(table_of((*found.keys, "people"), shown))


@ledger.command(short_help="Remove a table from a ledger.")
@click.argument("number", type=int)
@ledger_option
def remove(number: int, path: str) -> None:
    """Remove the table NUMBER from a ledger.

    Remove a table only if it was never published, or nobody can still have it.
    """
    from kanon_sql.engines.duckdb.ledger.ledger_file import opened
    from kanon_sql.engines.duckdb.ledger.ledger_file import remove as remove_table

    _entries(path)  # a ledger that is not there is not made
    with opened(path, writable=True) as (con, database):
        found = remove_table(con, database, number)
    click.echo(f"removed table {number}: {found.name}")


def _entries(path: str) -> list[Entry]:
    from kanon_sql.engines.duckdb.ledger.ledger_file import entries, opened

    with opened(path) as (con, database):
        return entries(con, database)


def _rows_of(table: PublishedTable) -> str:
    suppressed = sum(each.suppressed for each in table.rows)
    return how_many(len(table.rows), "row") + (f", {suppressed:,} suppressed" if suppressed else "")


def _described(found: Entry) -> dict[str, Any]:
    """Return what there is to say about a table, as JSON takes it."""
    table = found.table
    return {
        "number": found.number,
        "name": found.name,
        "added": found.added_at.isoformat(sep=" ", timespec="seconds"),
        "keys": list(found.keys),
        "condition": found.condition,
        "state": None if table is None else table.state,
        "rows": found.recorded.rows if table is None and found.recorded is not None else len(table.rows if table else ()),
        "audited": table is not None,
    }


def _known(row: PublishedRow) -> str:
    """Return what a reader knows of a count."""
    if row.exact:
        known = f"{row.lower:,}"
    elif row.upper is None:
        known = f"at least {row.lower:,}"
    else:
        known = f"{row.lower:,} to {row.upper:,}"
    return f"{known} (suppressed)" if row.suppressed else known


def _as_json(row: PublishedRow) -> dict[str, Any]:
    return {"keys": list(row.keys), "lower": row.lower, "upper": row.upper, "suppressed": row.suppressed}
