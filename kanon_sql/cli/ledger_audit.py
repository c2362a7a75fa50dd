"""The command that audits a ledger: ``kanon ledger audit``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from kanon_sql.cli.option_groups import GroupedCommand
from kanon_sql.cli.options import json_option
from kanon_sql.cli.publication import PATIENCE
from kanon_sql.cli.terminal import searching
from kanon_sql.engines.interrupt import interruptible
from kanon_sql.errors import AuditError, MissingPackageError, raise_alone
from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.ledger.ledger_file import Entry
    from kanon_sql.engines.ledger.audit import LedgerAudit

_LISTED = 20
"""Findings and undecided groups that a person sees; ``--json`` has all."""

UNDECIDED = 2
"""Exit code of an audit that could not decide everything: 1 says that a group is provable."""

ledger_option = click.option("--ledger", "path", required=True, metavar="FILE.duckdb", help="The ledger, a database file.")


@click.command(cls=GroupedCommand, short_help="Find the small groups that the tables prove.")
@ledger_option
@click.option(
    "--n", type=click.IntRange(2), default=5, show_default=True, metavar="N", help="Groups of 1 to n - 1 people are too small."
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="Groups not decided by then are listed as undecided.")
@click.option("-o", "--output", "target", metavar="OUT.html", help="Also write a page for those who sign.")
@click.option("--force", is_flag=True, help="Replace existing files.")
@json_option
@click.pass_context
def audit(
    ctx: click.Context, /, path: str, n: int, time_limit: float | None, target: str | None, force: bool, as_json: bool
) -> None:
    """Find the small groups that someone who holds all published tables can prove.

    The source is not needed. A group is listed with the published rows that prove it.

    Exits with code 1 if a group of 1 to n - 1 people can be proven. Exits with code 2 if a group or a table is not decided.
    """
    from kanon_sql.cli.reports import page_target
    from kanon_sql.engines.duckdb.cells.remembered_source import ledger_path
    from kanon_sql.engines.duckdb.files.staging import put_text
    from kanon_sql.engines.duckdb.ledger.auditing import audit_of, audited, contradictions, in_words, not_audited
    from kanon_sql.engines.duckdb.ledger.ledger_file import entries, opened
    from kanon_sql.solvers.budget import Budget

    place = ledger_path(path)
    page = None if target is None else page_target(target, (".html",), [place], force)
    ledger_page = None if page is None else _page_maker()
    with opened(path) as (con, database):
        there = entries(con, database)
    tables, left_out, stopped = audited(there), not_audited(there), list[bool]()
    with searching("auditing") as hear:
        budget = Budget(seconds=time_limit, progress=hear, ended=lambda: bool(stopped))
        found = interruptible(lambda: stopped.append(True), lambda: audit_of(tables, n, budget), patience=PATIENCE)
    if page is not None and ledger_page is not None:
        put_text(ledger_page(place.stem, there, found, n), page, replace=force)
    if as_json:
        click.echo(json.dumps({**found.to_dict(), "not_audited": [each.number for each in left_out]}))
    else:
        looked = f"{how_many(found.groups, 'group')} of {how_many(found.tables, 'table')}"
        passed = "PASS: none" if found.holds and not left_out else "OPEN: none"
        verdict = f"FAIL: {len(found.findings):,}" if found.findings else passed
        click.echo(f"{verdict} of {looked} can be proven to have 1 to {n - 1} people")
        _list("proven", [each.text for each in found.findings])
        _list("not decided", found.undecided)
        _list("rows that contradict each other (check --where, --state, --rounded and --total)", contradictions(found))
    if left_out:
        click.echo(f"undecided: {in_words(left_out)}", err=True)
    if found.findings:
        raise AuditError(
            f"{how_many(len(found.findings), 'group')} of 1 to {n - 1} people can be proven; hint: suppress more rows of the "
            "newest table in each proof, or do not publish it"
        )
    if not found.holds or left_out:
        ctx.exit(UNDECIDED)


def _page_maker() -> Callable[[str, Sequence[Entry], LedgerAudit, int], str]:
    try:
        from kanon_sql.report.ledger_page import ledger_page
    except ModuleNotFoundError as error:
        raise_alone(MissingPackageError.of("a report", error.name, "report"))
    return ledger_page


def _list(title: str, texts: Sequence[str]) -> None:
    """Print some texts, the first ones if there are many."""
    if not texts:
        return
    more = "" if len(texts) <= _LISTED else f", first {_LISTED} of {len(texts):,} (--json lists all)"
    click.echo(f"{title}{more}:")
    for each in texts[:_LISTED]:
        click.echo(f"- {printable(each)}")
