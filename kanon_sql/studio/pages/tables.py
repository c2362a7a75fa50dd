"""The page Several tables: which tables of a database are released, about which people, and the plan of their releases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.engines.duckdb.database.whole_database import FORMATS
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.draft import IDENTIFIER, KEPT, NONE, QUASI_IDENTIFIER, SENSITIVE
from kanon_sql.studio.pages.frame import clear_note, note, page, panel, paragraph, tried
from kanon_sql.studio.pages.planned_tables import PlannedTables
from kanon_sql.studio.run import DatabaseRun
from kanon_sql.studio.search import RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.several import BUILT, FILE, STORED, Chosen, Several

_PATH = "/tables"

_EVERY = 0.5
"""Seconds between two looks at a running release."""

_ROLES = {
    QUASI_IDENTIFIER: "quasi-identifier",
    SENSITIVE: "sensitive",
    KEPT: "released unchanged",
    IDENTIFIER: "not released",
}
"""The roles that a column can have here, in words; the column of the person is chosen once for all tables."""

_KINDS = dict(zip(FORMATS, ("one DuckDB database", "a folder of Parquet files"), strict=True))

_LEAD = (
    "Tables about the same people reveal more together than each alone. Here they are released together: all of them, or none."
)


def build(session: Session) -> None:
    """Register the page."""

    @ui.page(_PATH)
    async def tables() -> None:
        with page(session, _PATH, "Several tables", _LEAD):
            await _Releasing(session).show()


class _Releasing:
    """The choices, the plan of the releases, and what came out."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.plan = PlannedTables(session)
        self.button: ui.button | None = None
        self.cancel: ui.button | None = None

    async def show(self) -> None:
        """Show the database, the choices and the last releases."""
        if self.session.several is not None:
            self.session.several.renew()
        opened = self.session.source
        path = opened.place.path if opened is not None and opened.place.kind == "duckdb" else ""
        known = self.session.several
        with panel("Database"), ui.element("div").classes("line"):
            name = ui.input(
                "DuckDB database", value=str(path if known is None else known.path), placeholder="clinic.duckdb"
            ).classes("grow")

            async def choose() -> None:
                button.set_enabled(False)
                await self._slow(lambda: Several.of(name.value or ""), self._chosen)
                button.set_enabled(True)

            button = ui.button("Show its tables", on_click=choose).props("outline")
            name.on("keydown.enter", choose)
        self.choices()
        await self.plan.show()
        ui.timer(_EVERY, self._watch)
        self._watch()

    def _chosen(self, several: Several) -> None:
        self.session.several, self.session.planned = several, None
        self.choices.refresh()
        self.plan.show.refresh()

    async def _slow(self, count: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do what may take long in another thread."""
        try:
            found = await run.io_bound(count)
        except Exception as error:
            note(error_line(error))
        else:
            clear_note()
            then(found)

    @ui.refreshable_method
    def choices(self) -> None:
        """Show the tables with their policies, the person, and where the releases go."""
        self.button = self.cancel = None
        several = self.session.several
        if several is None:
            return
        with panel("Policies", "A policy says what becomes of each column of a table."), ui.element("div").classes("line"):
            kinds = [BUILT, *([STORED] if several.has_stored else []), FILE]
            ui.select(
                kinds, label="Policies", value=several.policies, on_change=lambda event: self._put("policies", event.value)
            ).classes("grow")
            if several.policies == FILE:
                file = ui.input("File of policies", value=several.file, placeholder="policies.yaml").classes("grow")
                file.on_value_change(lambda event: setattr(several, "file", event.value or ""))
        if several.policies == BUILT:
            with panel("Tables", "Choose the tables to release. Each starts with a suggested policy."):
                for each in several.tables:
                    self._table(several, each)
            self._person(several)
        with panel("Release"):
            with ui.element("div").classes("line"):
                into = ui.input("New database or folder", value=several.into).classes("grow")
                into.on_value_change(lambda event: setattr(several, "into", event.value or ""))
                ui.select(
                    _KINDS, label="Format", value=several.kind, on_change=lambda event: setattr(several, "kind", event.value)
                ).classes("grow")
            with ui.element("div").classes("line"):
                self.button = ui.button("Release all tables", on_click=lambda: self._planned(start=True))
                ui.button("Show the plan", on_click=lambda: self._planned(start=False)).props("outline")
                self.cancel = ui.button("Cancel", on_click=self._cancel).props("outline")
            self.status = ui.label("").props("role=status").classes("muted")

    def _put(self, name: str, value: Any) -> None:
        setattr(self.session.several, name, value)
        self.choices.refresh()

    def _table(self, several: Several, table: Chosen) -> None:
        """Show whether a table is released, and the role of each column."""
        words = f"{table.name}: {how_many(table.rows, 'row')}"

        async def switch(released: bool) -> None:
            if released and table.draft is None:
                status.set_text("Looking at its columns ...")
                await self._slow(lambda: several.read(table), lambda _: None)
            else:
                table.released = released
            self.choices.refresh()

        with ui.element("div").classes("line"):
            ui.checkbox(words, value=table.released, on_change=lambda event: switch(event.value))
            status = ui.label("").props("role=status").classes("muted")
        if not table.released or table.draft is None:
            return
        draft = table.draft
        with ui.expansion(f"Columns of {table.name}").classes("fold"), ui.element("div").classes("roles"):
            for name in draft.columns:
                ui.label(name)
                if several.person is not None and name in several.persons and name == several.person:
                    ui.label("tells people apart; not released").classes("muted")
                    continue
                role = draft.role(name)
                options = _ROLES if role in _ROLES else {**_ROLES, role: role}
                ui.select(
                    options,
                    value=role,
                    on_change=lambda event, name=name: self._role(table, name, event.value),
                ).props(f'aria-label="Role of {name.replace(chr(34), "")}"').classes("warn" if role == NONE else "")

    def _role(self, table: Chosen, name: str, role: str) -> None:
        def act() -> None:
            if table.draft is not None:
                table.draft = table.draft.with_role(name, role)

        if not tried(act):
            self.choices.refresh()

    def _person(self, several: Several) -> None:
        """Show which column tells people apart, and in which table each has one row."""
        with panel("People", "The guarantee protects people. Say how the tables tell them apart."):
            persons = several.persons
            if not persons:
                paragraph("The chosen tables share no column, so no column identifies the people of another table.", "muted")
            with ui.element("div").classes("line"):
                if persons:
                    ui.select(
                        {"": "none: the tables are about different people", **{name: name for name in persons}},
                        label="Column of the person",
                        value=several.person if several.person in persons else "",
                        on_change=lambda event: self._persons(several, event.value or None, None),
                    ).classes("grow")
                if several.person in persons:
                    ui.select(
                        several.homes(),
                        label="Table with one row for each person",
                        value=several.home,
                        on_change=lambda event: self._persons(several, several.person, event.value),
                    ).classes("grow")
                k = ui.number("Least people in a group", value=several.k, min=2, precision=0).classes("grow")
                k.on_value_change(lambda event: setattr(several, "k", max(2, int(event.value or 2))))

    def _persons(self, several: Several, column: str | None, home: str | None) -> None:
        several.choose_person(column, home)
        self.choices.refresh()

    def _planned(self, *, start: bool) -> None:
        several = self.session.several
        if several is None:
            return

        def act() -> None:
            policies = several.stored() if several.policies == BUILT else several.file if several.policies == FILE else ""
            made = DatabaseRun(str(several.path), several.into, policies, several.kind)
            if start:
                self.session.release_tables(made)
            else:
                self.session.planned = made

        if several.policies == FILE and not several.file.strip():
            note("no file of policies is chosen; hint: write its name, or build the policies here")
        elif tried(act):
            self._watch()
            self.plan.show.refresh()

    def _cancel(self) -> None:
        if self.session.database is not None:
            self.session.database.cancel()

    def _watch(self) -> None:
        made = self.session.database
        running = made is not None and made.state == RUNNING
        if self.button is not None and self.cancel is not None:
            self.cancel.set_enabled(running)
            self.button.set_enabled(not running)
            step = made.points[-1].step if made is not None and made.points else "reading the tables"
            self.status.set_text(f"Releasing: {step}" if running else "")
        self.plan.watch()
