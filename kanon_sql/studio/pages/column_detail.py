"""The sheet with one column: its values, advice, what a cell shows with a preview, and how important it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.column_list import ROLE_OPTIONS, Listed, given
from kanon_sql.studio.draft import QUASI_IDENTIFIER, Draft
from kanon_sql.studio.pages.charts import bars
from kanon_sql.studio.pages.frame import paragraph
from kanon_sql.studio.pages.native import Select, text
from kanon_sql.studio.pages.recodings import RecodingForm
from kanon_sql.studio.recoding_choices import held
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import K, Source


class Sheet:
    """The sheet at the side of the page.

    Parameters
    ----------
    listed : callable
        Returns the columns as they are now, in the order of the grid.
    change : callable
        Takes what makes the next draft; raises what is wrong with it.
    """

    def __init__(
        self,
        session: Session,
        source: Source,
        listed: Callable[[], list[Listed]],
        change: Callable[[Callable[[], Draft]], Any],
    ) -> None:
        self.session, self.source, self.listed, self.change = session, source, listed, change
        self.unit = "rows" if session.person is None and not session.draft.policy.per_row else "people"
        self.column = ""
        with ui.dialog().props("position=right full-height") as self.dialog:
            self.content = ui.element("div").classes("sheet").props("tabindex=-1")

    async def open(self, column: str) -> None:
        """Show a column."""
        self.column = column
        self.dialog.props["aria-label"] = f"Details of {column}"
        self.dialog.open()
        self.content.clear()
        self.content.run_method("focus")
        with self.content:
            await self._show()

    async def _show(self) -> None:
        columns = self.listed()
        place = next(number for number, each in enumerate(columns) if each.name == self.column)
        each = columns[place]
        with ui.element("div").classes("line"):
            text("h2", each.name, "grow")
            ui.button("Close", on_click=self.dialog.close).props("flat")
        paragraph(f"{each.looks}. {each.values:,} values, {each.empty:,} empty cells.", "muted")
        Select(ROLE_OPTIONS, each.role, f"Role of {each.name}", self._role)
        self.problem = text("div", "", "problem").props("role=alert")
        if each.role == QUASI_IDENTIFIER:
            await self._recoding(each.name)
        else:
            paragraph(self._singled_out(each))
        values = ui.element("div")
        with ui.element("div").classes("line"):
            for words, other in (("Previous column", place - 1), ("Next column", place + 1)):
                button = ui.button(words, on_click=lambda other=other: self.open(columns[other].name)).props("outline")
                button.set_enabled(0 <= other < len(columns))
        await self._values(each.name, values)

    def _singled_out(self, each: Listed) -> str:
        return f"{each.alone:,} of {each.of:,} {self.unit} have a value of their own."

    async def _role(self, role: str) -> None:
        if self.tried(lambda: given(self.source, self.session.draft, [self.column], role)):
            await self.open(self.column)

    def tried(self, act: Callable[[], Draft]) -> bool:
        """Change the draft; say in the sheet what is wrong, and return whether nothing was."""
        try:
            self.change(act)
        except Exception as error:
            self.problem.set_text(error_line(error))
            return False
        self.problem.set_text("")
        return True

    async def _values(self, column: str, place: ui.element) -> None:
        person = self.session.person
        counted = await run.io_bound(lambda: (self.source.histogram(column, person), self.source.frequent(column, person)))
        if counted is None or place.is_deleted:
            return
        intervals, values = counted
        with place:
            found = intervals or values
            what = "intervals" if intervals else "values"
            if found:
                text("h3", f"Rows by {column}" if intervals else "Most frequent values")
                bars(f"Rows by {what} of {column}", [each for each, _ in found], [("rows", [n for _, n in found])], low=True)
            paragraph(f"Only {what} of at least {K} {self.unit} are shown.", "muted small")

    async def _recoding(self, column: str) -> None:
        place = ui.element("div")
        holding = await run.io_bound(held, self.source, column)
        if holding is None or place.is_deleted:
            return
        with place:
            form = RecodingForm(self.session, self.source, column, holding, self.tried, self.unit)
            form.show()
            await form.preview()
