"""The lower half of the page Several tables: the plan of the releases, what came out, and its audit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.engines.duckdb.database.audit import DatabaseAudit, audit_database
from kanon_sql.engines.duckdb.database.plan import PlannedRelease, risks_of, roles_of
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KAnonymity, People, Requirement
from kanon_sql.studio.pages.frame import figures, panel, paragraph, rows_table, sql_text
from kanon_sql.studio.run import DatabaseRun
from kanon_sql.studio.search import CANCELLED, FAILED, RELEASED
from kanon_sql.studio.session import Session

_ROLES = {"BY": "quasi-identifiers", "group": "token of the person's group", "unchanged": "released unchanged"}
"""Words for roles of the plan."""

_HEADS = ("release", "rows from", "guarantee", "people", "columns")


class PlannedTables:
    """The releases of a database that were planned last, and those that were made last."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen: tuple[int, str] | None = None

    def watch(self) -> None:
        """Show what has changed."""
        made = self.session.database
        now = None if made is None else (id(made), made.state)
        if now != self.seen:
            self.seen = now
            self.show.refresh()

    @ui.refreshable_method
    async def show(self) -> None:
        """Show what came out, and the plan."""
        made, planned = self.session.database, self.session.planned
        if made is not None:
            await self._ended(made)
        if planned is not None:
            _plan(planned)

    async def _ended(self, made: DatabaseRun) -> None:
        if made.state == FAILED:
            with ui.element("div").classes("verdict bad").props("role=alert"):
                ui.label(f"Nothing was written: {made.words}")
        if made.state == CANCELLED:
            with ui.element("div").classes("verdict").props("role=status"):
                ui.label("Cancelled. Nothing was written.")
        if made.state != RELEASED:
            return
        with ui.element("div").classes("verdict good").props("role=status"):
            ui.label(f"{how_many(len(made.certificates), 'table')} released into {made.into}.")
        for name, certificate in made.certificates.items():
            share = f"{certificate.suppressed_share:.1%} of the cells suppressed"
            with ui.expansion(f"{name}: {how_many(certificate.rows, 'row')}, {share}").classes("fold"):
                figures(certificate.figures().items())
        await _audited(Path(made.into))


async def _audited(into: Path) -> None:
    """Audit the released database as `kanon audit` does."""
    if not into.is_file():
        if into.is_dir():
            paragraph("The tables were audited before they were written. Each file has its certificate next to it.", "muted")
        return
    try:
        found: DatabaseAudit | None = await run.io_bound(audit_database, into)
    except Exception as error:
        paragraph(error_line(error), "bad")
        return
    if found is None:
        return
    with panel("Audit of the new database"):
        for each in found.broken:
            paragraph(f"{each}.", "bad")
        if not found.broken:
            paragraph("Verified: the database was opened again, and every table keeps its guarantee.", "good")
        for each in found.warnings:
            paragraph(f"Warning: {each}.", "warn")
        figures((name, _measured(each)) for name, each in found.releases.items())


def _measured(measured: Mapping[str, Any]) -> str:
    """Return what an audit measured of a table."""
    smallest, groups = how_many(measured["k"], "row"), how_many(measured["classes"], "class", "classes")
    return f"{how_many(measured['rows'], 'row')} in {groups}; the smallest has {smallest}"


def _plan(planned: DatabaseRun) -> None:
    with panel("Plan"):
        for risk in risks_of(planned.plan):
            with ui.element("div").classes("message warn"):
                ui.label(f"{risk[0].upper()}{risk[1:]}.")
        rows_table(_HEADS, map(_row, planned.plan), "Releases in their order")
    sql_text(planned.statement, "The same releases as a command")
    if planned.policies is not None:
        sql_text(planned.policies, "policies.json, the file of policies that the command reads")


def _row(each: PlannedRelease) -> tuple[str, ...]:
    person = each.person
    people = f"those of {each.people}" if person is not None else "one in each row" if each.key is not None else ""
    return (
        each.name,
        "a query" if each.policy.query is not None else each.policy.table,
        "; ".join(_in_words(requirement) for requirement in each.policy.policy.requirements),
        people,
        "; ".join(f"{_ROLES.get(role, role)}: {', '.join(columns)}" for role, columns in roles_of(each)),
    )


def _in_words(requirement: Requirement) -> str:
    """Return a guarantee; those of k in words."""
    if isinstance(requirement, KAnonymity):
        return f"at least {how_many(requirement.k, 'row looks', 'rows look')} alike"
    if isinstance(requirement, People):
        return f"at least {how_many(requirement.k, 'person', 'people')} in each group ({requirement.per})"
    return requirement.describe()
