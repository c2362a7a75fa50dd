"""The page Published tables: what is out, and what someone who keeps all of it can prove."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.pages.frame import clear_note, figures, note, page, panel, paragraph
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import K
from kanon_sql.studio.steps import LEDGER

_SECONDS = 60
"""The longest an audit takes here; groups that are open then are undecided."""

_SHOWN = 50
"""Findings that the page lists."""


def build(session: Session) -> None:
    """Register the page."""

    @ui.page(LEDGER.path)
    async def ledger() -> None:
        lead = "Add all tables of counts that were published about the same people, and see what they prove together."
        with page(session, LEDGER.path, "Published tables", lead):
            _Ledger(session).show()


class _Ledger:
    """The ledger, a form to add a table, and the audit."""

    def __init__(self, session: Session) -> None:
        self.ledger = session.published
        self.first = "" if session.remembering is None else str(session.remembering)

    @ui.refreshable_method
    def show(self) -> None:
        """Show all of it as it is now."""
        lead = "A database file that keeps the published tables. A new file is created with the first table."
        with panel("Ledger", lead), ui.element("div").classes("line"):
            path = ui.input("File", value=self.ledger.path or self.first, placeholder="research.duckdb").classes("grow")
            self._button("Open", lambda: self.ledger.open(path.value or ""), outline=True)
        if not self.ledger.path:
            return
        self._tables()
        self._form()
        if self.ledger.tables:
            self._audit()

    def _tables(self) -> None:
        with panel("Tables"):
            if not self.ledger.tables:
                paragraph("The ledger is empty.", "muted")
                return
            for each in self.ledger.tables:
                who = each.condition or "everybody"
                rows = "its published file is missing" if each.table is None else how_many(len(each.table.rows), "row")
                with ui.element("div").classes("line"):
                    ui.label(f"{each.number}. {each.name}: by {', '.join(each.keys)}; {who}; {rows}").classes("grow")
                    if each.table is not None:
                        self._button("Remove", partial(self.ledger.remove, each.number), flat=f"Remove table {each.number}")

    def _form(self) -> None:
        with panel("Add a published table"):
            with ui.element("div").classes("line"):
                file = ui.input("Published file", placeholder="by_region.csv").classes("grow")
                keys = ui.input("Counted by", placeholder="region, sex").classes("grow")
                measure = ui.input("Column of the counts", value="n").style("width:12rem")
            with ui.element("div").classes("line"):
                where = ui.input("Only people with (SQL)", placeholder="age >= 15").classes("grow")
                base = ui.number("Rounded to multiples of", min=2, precision=0).style("width:14rem")

                def add() -> None:
                    rounded = None if base.value is None else int(base.value)
                    self.ledger.add(
                        file.value or "",
                        keys.value or "",
                        measure=measure.value or "",
                        condition=where.value or "",
                        rounded=rounded,
                    )

                self._button("Add the table", add)
            paragraph(
                "An empty label, or a label such as Total, is a total. Empty cells, * and <5 are suppressed counts.", "muted"
            )

    def _audit(self) -> None:
        with ui.element("div").classes("line"):
            least = ui.number("Smallest group", value=K, min=2, precision=0).style("width:10rem")
            self._button("Audit the tables", lambda: self.ledger.look(int(least.value or 0), _SECONDS))
        colour, words = self.ledger.verdict()
        found = self.ledger.audit
        if found is None:
            return
        with ui.element("div").classes(f"verdict {colour}").props("role=status"):
            ui.label(words)
        if found.findings:
            with panel("Groups that can be proven", "Follow each proof with a pencil. Do not publish this page."):
                with ui.element("ol"):
                    for each in found.findings[:_SHOWN]:
                        with ui.element("li"):
                            ui.label(each.text)
                if len(found.findings) > _SHOWN:
                    paragraph(f"The first {_SHOWN} of {len(found.findings):,}.", "muted")
        with ui.expansion("Figures of the audit").classes("fold"):
            figures(found.figures().items())

    def _button(self, label: str, act: Callable[[], Any], *, outline: bool = False, flat: str = "") -> None:
        """Show a button that works off the page, says so, and shows the result."""

        async def clicked() -> None:
            button.set_enabled(False)
            button.set_text(f"{label} ...")
            try:
                await run.io_bound(act)
            except Exception as error:
                note(error_line(error))
            else:
                clear_note()
            self.show.refresh()

        button = ui.button(label, on_click=clicked).props("outline" if outline else "")
        if flat:
            button.props("flat").props["aria-label"] = flat
