"""The page Tables: several tables of a database, released together."""

from __future__ import annotations

from nicegui import ui

from kanon_sql.engines.duckdb.database.plan import risks_of, roles_of
from kanon_sql.engines.duckdb.database.whole_database import FORMATS
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.pages.frame import figures, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.run import DatabaseRun
from kanon_sql.studio.search import CANCELLED, FAILED, RELEASED, RUNNING
from kanon_sql.studio.session import Session

_EVERY = 0.5
"""Seconds between two looks at a running release."""

_HEADS = ("release", "source", "guarantee", "person", "columns")


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/tables")
    def tables() -> None:
        with page(session, "/tables", "Tables"):
            _Releasing(session).show()


class _Releasing:
    """The form of a database, the plan of its releases, and what came out."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen: tuple[int, str, str] | None = None

    def show(self) -> None:
        """Show the form and the last releases."""
        paragraph(
            "Tables about the same people reveal more together than each alone. Here they are released together: all of them, "
            "or none."
        )
        opened = self.session.source
        path = opened.place.path if opened is not None and opened.place.table is not None else None
        with panel("Database"):
            with ui.element("div").classes("line"):
                self.source = ui.input(
                    "Database", value="" if path is None else str(path), placeholder="clinic.duckdb"
                ).classes("grow")
                self.policies = ui.input("File of policies", placeholder="the policies in the database").classes("grow")
            with ui.element("div").classes("line"):
                into = "" if path is None else str(path.with_name(f"{path.stem}_released{path.suffix}"))
                self.into = ui.input("New database or folder", value=into, placeholder="public.duckdb").classes("grow")
                self.kind = ui.select(list(FORMATS), label="Format", value=FORMATS[0])
            with ui.element("div").classes("line"):
                ui.button("Show the plan", on_click=lambda: self._plan(start=False)).props("outline")
                self.button = ui.button("Release all tables", on_click=lambda: self._plan(start=True))
                self.cancel = ui.button("Cancel", on_click=self._cancel).props("outline")
            self.status = ui.label("").props("role=status")
        self.outcome()
        ui.timer(_EVERY, self._watch)
        self._watch()

    def _plan(self, *, start: bool) -> None:
        def act() -> None:
            run = DatabaseRun(self.source.value or "", self.into.value or "", self.policies.value or "", self.kind.value)
            if start:
                self.session.release_tables(run)
            else:
                self.session.planned = run

        if tried(act):
            self.seen = None
            self._watch()
            self.outcome.refresh()

    def _cancel(self) -> None:
        if self.session.database is not None:
            self.session.database.cancel()

    def _watch(self) -> None:
        run = self.session.database
        running = run is not None and run.state == RUNNING
        self.cancel.set_enabled(running)
        self.button.set_enabled(not running)
        if run is None:
            return
        step = run.points[-1].step if run.points else "reading"
        now = (id(run), run.state, step)
        if now == self.seen:
            return
        changed = self.seen is None or self.seen[:2] != now[:2]
        self.seen = now
        self.status.set_text(f"Releasing: {step}" if running else "")
        if changed:
            self.outcome.refresh()

    @ui.refreshable_method
    def outcome(self) -> None:
        """Show what came out, and the plan."""
        run, planned = self.session.database, self.session.planned
        with ui.element("div"):
            if run is not None and run.state in (FAILED, CANCELLED, RELEASED):
                _ended(run)
            if planned is not None:
                _planned(planned)


def _ended(run: DatabaseRun) -> None:
    with panel("Releases"):
        if run.state == FAILED:
            paragraph(run.words or "", "bad")
        if run.state == CANCELLED:
            paragraph("Cancelled. Nothing was written.")
        if run.state == RELEASED:
            paragraph(f"Written and audited: {run.into}.", "good")
            for name, certificate in run.certificates.items():
                with ui.expansion(
                    f"{name}: {how_many(certificate.rows, 'row')}, {certificate.suppressed_share:.1%} of the cells suppressed"
                ):
                    figures(certificate.figures().items())


def _planned(run: DatabaseRun) -> None:
    with panel("Plan"):
        rows = [
            (
                each.name,
                "a query" if each.policy.query is not None else each.policy.table,
                ", ".join(requirement.describe() for requirement in each.policy.policy.requirements),
                "" if each.person is None else each.person.describe(),
                "; ".join(f"{role}: {', '.join(columns)}" for role, columns in roles_of(each)),
            )
            for each in run.plan
        ]
        rows_table(_HEADS, rows, "Releases in their order")
        for risk in risks_of(run.plan):
            paragraph(f"Warning: {risk}.", "bad")
        paragraph("The same releases as a command:", "muted")
        with ui.element("pre").classes("sql"):
            ui.label(run.statement)
        ui.button("Copy", on_click=lambda: ui.clipboard.write(run.statement)).props("flat")
