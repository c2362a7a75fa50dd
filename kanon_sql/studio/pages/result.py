"""The page Result: the search at work, then the verdict about its release, with its figures and its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from kanon_sql.report.measured import Measured
from kanon_sql.studio.pages.attacker import show_attacker
from kanon_sql.studio.pages.frame import Page, counted, counted_table, page, paragraph
from kanon_sql.studio.pages.losses import show_columns, show_groups, show_sizes
from kanon_sql.studio.pages.remedies import anonymize
from kanon_sql.studio.pages.result_verdict import show_details, show_verdict
from kanon_sql.studio.pages.running import Running, without_release
from kanon_sql.studio.pages.runs import Runs
from kanon_sql.studio.pages.side_by_side import SideBySide
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import RELEASED, RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import PROTECTION, RESULT


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/result")
    async def result(run: int = 0, tab: str = "columns") -> None:
        shown = next((each for each in session.runs if each.number == run), session.runs[-1] if session.runs else None)
        first = session.source is not None and shown is None
        lead = "What the release keeps, what it lost, and what it still reveals."
        with page(
            session,
            RESULT.path,
            "Result",
            lead,
            sql=lambda: session.draft.statement if shown is None else shown.draft.statement,
            act=("Anonymize", lambda: anonymize(session)) if first else None,
        ) as frame:
            source = await counted_table(session)
            if source is None:
                return
            if shown is None:
                paragraph("There is no release yet. Anonymize the table with the current settings.")
            elif shown.state == RUNNING:
                Running(source, shown, lambda: ui.navigate.to(f"{RESULT.path}?run={shown.number}")).show()
            else:
                await _Result(session, source, shown, tab, frame).show()


class _Result:
    """A run that has ended."""

    def __init__(self, session: Session, source: Source, run: Run, tab: str, frame: Page) -> None:
        self.session, self.source, self.run, self.tab, self.frame = session, source, run, tab, frame

    async def show(self) -> None:
        """Show what came out."""
        if self.run.state != RELEASED:
            without_release(self.session, self.run, self._changed)
            self.again()
            earlier = self.session.released
            if earlier:
                ui.link(f"Show {earlier[-1].name}", f"{RESULT.path}?run={earlier[-1].number}")
            return
        self.again()
        facts = await counted("Comparing the release with its source", lambda: self.session.look(self.run))
        if facts is None:
            return
        self.session.confirm(RESULT.path)
        self.frame.changed()
        show_verdict(self.session, self.run, facts, self._changed)
        self._tabs(facts)
        show_details(self.run, facts)

    def _changed(self) -> None:
        self.again.refresh()
        self.frame.changed()

    @ui.refreshable_method
    def again(self) -> None:
        """Offer another search if there is no release, or the settings are others than those of the run."""
        released, same = self.run.state == RELEASED, self.session.draft == self.run.draft
        if released and same:
            return
        with ui.element("div").classes("line" if same else "message").props("role=status"):
            if not same:
                ui.label("The settings have changed since this run.")
            with ui.element("div").classes("line"):
                ui.button("Anonymize again", on_click=lambda: anonymize(self.session))
                if not same:
                    ui.button("Use the settings of this run", on_click=self._back).props("outline")
                if not released:
                    ui.link("Change the protection", PROTECTION.path)

    def _back(self) -> None:
        self.session.draft = self.run.draft
        self._changed()

    def _tabs(self, facts: Measured) -> None:
        """Show the tabs; what is in one is drawn when it is opened."""
        drawn: dict[str, tuple[str, Callable[[], Any]]] = {
            "columns": ("Columns", lambda: show_columns(facts)),
            "rows": ("Rows side by side", lambda: SideBySide(self.session, self.source, self.run).show()),
            "groups": ("Groups", lambda: show_groups(self.source, self.run, facts)),
            "sizes": ("Sizes of classes", lambda: show_sizes(facts)),
            "attacker": ("Attacker", lambda: show_attacker(self.source, self.run)),
            "runs": ("Runs", lambda: Runs(self.session, self.source, self.run).show()),
        }
        opened: set[str] = set()
        first = self.tab if self.tab in drawn else "columns"

        def draw(name: str) -> None:
            if name not in opened:
                opened.add(name)
                with panels[name]:
                    drawn[name][1]()

        def choose(name: str) -> None:
            draw(name)
            ui.navigate.history.replace(f"{RESULT.path}?run={self.run.number}&tab={name}")  # so that it stays over a refresh

        with ui.tabs().classes("parts").props("no-caps align=left outside-arrows mobile-arrows") as tabs:
            for name, (label, _) in drawn.items():
                ui.tab(name, label=label)
        with ui.tab_panels(tabs, value=first, animated=False, keep_alive=True).classes("panel parts"):
            panels = {name: ui.tab_panel(name) for name in drawn}
        draw(first)
        tabs.on_value_change(lambda event: choose(event.value))
