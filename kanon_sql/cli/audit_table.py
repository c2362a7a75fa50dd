"""The command that attacks a published table of counts: ``kanon audit-table``."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import column_names, dialect_options, escape_option, json_option, rows_option, show, table_option
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.streams import format_option, read_table, source_place
from kanon_sql.cli.terminal import busy, table_of
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import AuditError

if TYPE_CHECKING:
    from kanon_sql.engines.cells.table_audit import TableAudit
    from kanon_sql.engines.duckdb.files.dialect import Dialect

_LISTED = 20
"""Cells that a person sees; ``--json`` has all."""

_HINT = "suppress more cells, or create the table with kanon protect"

_EMPTY = "pass --least 0 if suppressed cells may be empty, as in PROTECT tables; with --least 0, nothing is disclosed"


@click.command("audit-table", cls=GroupedCommand)
@click.argument("file")
@click.option(
    "--by",
    multiple=True,
    required=True,
    metavar="A,B",
    help="Key columns; repeatable. An empty key marks a total.",
)
@click.option(
    "--measure",
    default="n",
    show_default=True,
    metavar="N",
    help="Column with the counts or sums. Empty cells count as suppressed.",
)
@click.option(
    "--k",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    metavar="K",
    help="Counts of 1 to k - 1 are too small to disclose.",
)
@click.option("--total", metavar="TEXT", help="Additional text that marks a total in a key column.")
@click.option("--suppressed", multiple=True, metavar="TEXT", help="Additional text that marks a suppressed count; repeatable.")
@click.option(
    "--least",
    type=click.IntRange(0),
    metavar="N",
    help="Minimum count in a suppressed cell. Pass 0 if suppressed cells may be empty, as in PROTECT tables.  [default: 1]",
)
@rows_option
@click.option("--sums", multiple=True, metavar="S,T", help="Columns with sums. A group without people has a sum of 0.")
@click.option("--possible", metavar="FILE", help="Table of the key combinations that may have people; all others are empty.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Fail if the audit takes longer than SECONDS.")
@table_option
@dialect_options
@escape_option("Pass this if FILE was written with --escape-formulas.")
@format_option
@json_option
def audit_table(
    file: str,
    by: tuple[str, ...],
    measure: str,
    k: int,
    total: str | None,
    suppressed: tuple[str, ...],
    least: int | None,
    rows: str,
    sums: tuple[str, ...],
    possible: str | None,
    time_limit: float | None,
    table: str | None,
    dialect: Dialect,
    escape_formulas: bool,
    ending: str,
    as_json: bool,
) -> None:
    """Find the suppressed cells and small groups that a table of counts discloses.

    FILE is a table of counts with totals, from any tool. An empty key marks the total over all values of that key; an empty
    count marks a suppressed cell. For each suppressed cell, two linear programs find the smallest and largest counts that are
    consistent with the rest of the table.

    Exits with code 1 if a suppressed count can be derived exactly or proven to be below --k. Exits with code 3 if FILE
    cannot be checked.
    """
    import duckdb

    from kanon_sql.engines.duckdb.audit.count_tables import audited_table
    from kanon_sql.engines.duckdb.cells.arguments import check_columns
    from kanon_sql.engines.duckdb.files.places import Place
    from kanon_sql.engines.duckdb.files.tables import columns, load
    from kanon_sql.solvers.budget import Budget

    con = duckdb.connect()
    stopped: list[bool] = []

    def work() -> tuple[TableAudit, bool]:
        """Return what was found, and whether nothing is given away if suppressed cells may be empty."""
        with closing(con):
            read_table(con, place)
            listed = columns(con, "source")
            keys, added = column_names(by, listed), column_names(sums, listed)
            check_columns((*keys, measure, *added), listed)
            if possible is not None:
                load(con, Place.of(possible, dialect=dialect), into="possible")
            audited = partial(
                audited_table,
                con,
                keys,
                measure,
                k=k,
                budget=Budget(seconds=time_limit, ended=lambda: bool(stopped)),
                total=total,
                suppressed=suppressed,
                rows=rows,
                sums=added,
                possible=() if possible is None else columns(con, "possible"),
            )
            found = audited(least=1 if least is None else least)
            unsure = least is None and rows == "null" and not found.holds
            return found, unsure and audited(least=0).holds

    def stop() -> None:
        stopped.append(True)
        con.interrupt()

    with source_place(file, table, ending, dialect) as found_place:
        place = found_place.escaping(escape_formulas)
        with busy("auditing"):
            found, empty = interruptible(stop, work, patience=PATIENCE)
    wrong = found.wrong(k)
    if as_json:
        listed = {name: [each.to_dict() for each in getattr(found, name)] for name in ("cells", "groups")}
        click.echo(json.dumps({"holds": found.holds, "broken": [wrong] if wrong else [], **found.figures, **listed}))
    else:
        click.echo(f"FAIL: {wrong}" if wrong else f"PASS: no suppressed count can be derived exactly or proven to be below {k}")
        show((name, f"{value:,}") for name, value in found.figures.items())
        _show_cells(found)
    if wrong:
        raise AuditError(f"{wrong}; hint: {_EMPTY if empty else _HINT}")


def _show_cells(found: TableAudit) -> None:
    """Print the cells that are given away, the first ones if there are many."""
    from rich.console import Console

    given = [each for each in (*found.cells, *found.groups) if each.disclosed]
    if not given:
        return
    title = "disclosed" if len(given) <= _LISTED else f"disclosed, first {_LISTED} of {len(given):,} (--json lists all)"
    rows = [(*each.cell, str(each.lower), "no limit" if each.upper is None else str(each.upper)) for each in given[:_LISTED]]
    Console(highlight=False).print(table_of((*found.by, "at least", "at most"), rows, title=title))
