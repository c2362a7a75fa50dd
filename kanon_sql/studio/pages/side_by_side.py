"""The tab Rows: rows of the source, each with its released row below it."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.pages.frame import paragraph
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session
from kanon_sql.studio.side_by_side import GONE, MOST, SAME, Aligning, Cell, Pair, pairs
from kanon_sql.studio.source import Source


class SideBySide:
    """The button that shows rows of people, and the rows."""

    def __init__(self, session: Session, source: Source, run: Run) -> None:
        self.source, self.run = source, run
        self.aligning = Aligning(source, run, session.folder)
        self.only_changed = False
        self.refusal = self.aligning.refusal
        self.names: list[str] = []
        self.found: list[Pair] | None = None
        self.busy = False

    @ui.refreshable_method
    def show(self) -> None:
        """Show the button, or the rows."""
        if self.refusal is not None:
            paragraph(self.refusal, "bad" if self.found is None else "")
        elif self.busy:
            with ui.element("div").classes("waiting").props("role=status"):
                ui.spinner(size="1.2em").props('aria-hidden="true"')
                paragraph("Running the same statement again, in the order of the source ...", "muted")
                ui.button("Cancel", on_click=self.aligning.cancel).props("outline")
        elif self.found is None:
            self._ask()
        else:
            self._rows(self.found)

    def _ask(self) -> None:
        paragraph(f"The first {MOST} rows of the source, each with its released row. They are rows of people.")
        if self.run.in_order is None and self.run.draft.policy.row_order != "source":
            seconds = self.run.release[0].seconds
            paragraph(
                "Released rows are shuffled. To match them, the same statement runs again: this takes about as long as the "
                f"search, {seconds:,.0f} s.",
                "muted",
            )
        ui.button("Show the rows", on_click=self._align).props("outline")

    async def _align(self) -> None:
        self.busy = True
        self.show.refresh()
        try:
            await threads.io_bound(self.aligning.align)
            await self._read()
        except Exception as error:
            words = error_line(error)
            self.refusal = f"{words[:1].upper()}{words[1:]}"
        self.busy = False
        self.show.refresh()

    async def _read(self) -> None:
        found = await threads.io_bound(pairs, self.source, self.run, only_changed=self.only_changed)
        if found is not None:
            self.names, self.found = found

    async def _filter(self, only_changed: bool) -> None:
        self.only_changed = only_changed
        await self._read()
        self.show.refresh()

    def _rows(self, found: list[Pair]) -> None:
        ui.checkbox("Only changed rows", value=self.only_changed, on_change=lambda event: self._filter(event.value))
        if not found:
            paragraph("No row was changed.")
            return
        paragraph(
            f"The first {how_many(len(found), 'row')}{' with a changed cell' if self.only_changed else ''}. Columns that are "
            "not released are left out.",
            "muted",
        )
        with (
            ui.element("div").classes("rows pairs").props('tabindex=0 role=region aria-label="Rows side by side"'),
            ui.element("table"),
        ):
            with ui.element("thead"), ui.element("tr"):
                for name in ("row", "table", *self.names):
                    with ui.element("th").props("scope=col").classes("number" if name == "row" else ""):
                        ui.label(name)
            for pair in found:
                _pair(pair)


def _pair(pair: Pair) -> None:
    with ui.element("tbody"):
        with ui.element("tr"):
            with ui.element("th").props("scope=rowgroup rowspan=2").classes("number"):
                ui.label(f"{pair.number:,}")
            _head("source")
            for cell in pair.cells:
                _cell(cell.before, "gone" if cell.before is None else "", "empty")
        with ui.element("tr"):
            _head("release")
            for cell in pair.cells:
                _cell(cell.after, _class(cell), "empty" if cell.state == SAME else "suppressed")


def _head(name: str) -> None:
    with ui.element("th").props("scope=row").classes("muted"):
        ui.label(name)


def _class(cell: Cell) -> str:
    if cell.state == SAME:
        return "gone" if cell.after is None else ""
    return "changed gone" if cell.state == GONE else "changed"


def _cell(value: str | None, classes: str, empty: str) -> None:
    with ui.element("td").classes(classes):
        ui.label(empty if value is None else value)
