"""The page Hand over: everything about a release in one folder, verified before it appears."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.hand_over import FORMATS, PURPOSES, HandedOver, hand_over, texts_of
from kanon_sql.studio.pages.frame import (
    Page,
    clear_note,
    figures,
    needs_source,
    note,
    page,
    panel,
    paragraph,
    rows_table,
    sql_text,
)
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import COLUMNS, HAND_OVER, PROTECTION, RESULT

_FORMATS = {"csv": "CSV", "parquet": "Parquet", "duckdb": "DuckDB database"}

_HEADS = ("file", "what it is for", "publish")


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/hand-over")
    def show(number: int = 0) -> None:
        lead = "Write the release and its proof to a new folder. The folder is checked before it appears."
        with page(session, HAND_OVER.path, "Hand over", lead) as shown:
            if not needs_source(session) or session.source is None:
                return
            runs = {each.number: each for each in session.released}
            if not runs:
                running = bool(session.runs) and session.runs[-1].state == RUNNING
                paragraph("The search is still running." if running else "There is no release yet.")
                ui.link(*(("Watch it", RESULT.path) if running else ("Choose a guarantee and anonymize", PROTECTION.path)))
                return
            run = runs.get(number, session.current or session.released[-1])
            if len(runs) > 1:
                ui.select(
                    {number: each.name for number, each in runs.items()},
                    label="Release",
                    value=run.number,
                    on_change=lambda event: ui.navigate.to(f"{HAND_OVER.path}?number={event.value}"),
                ).classes("full")
            _Folder(session, session.source, run, shown).show()
            _texts(session, session.source, run)


class _Folder:
    """The form of the new folder, and what became of it."""

    def __init__(self, session: Session, source: Source, run: Run, shown: Page) -> None:
        self.session, self.source, self.run, self.page = session, source, run, shown
        self.made: HandedOver | None = None

    def show(self) -> None:
        """Show the warnings, the form, and what was written."""
        for each in self.run.release[0].warnings:
            _warning(each, remedy=True)
        if self.session.handed_over - {self.run.number}:
            _warning(
                "You have already written another release of this table. Two releases of the same people can reveal more "
                "together than each alone. Hand over only one of them"
            )
        if self.session.temporary:
            name = self.source.place.path.name
            _warning(
                f"The studio has only a temporary copy of the source. Keep {name} next to the new folder to verify it again"
            )
        with panel("New folder"):
            with ui.element("div").classes("line"):
                place = self.session.next_to_source(f"{self.source.name}_released")
                self.folder = ui.input("Folder", value=str(place)).classes("grow")
                self.ending = ui.select(_FORMATS, label="Format of the rows", value=FORMATS[0]).style("min-width:12rem")
                self.button = ui.button("Write and verify", on_click=self._write)
            self.status = ui.label("").props("role=status").classes("muted")
        self.written()

    async def _write(self) -> None:
        self.button.set_enabled(False)
        self.status.set_text("Writing the rows, reading them again and verifying the certificate ...")
        folder, ending = self.folder.value or "", self.ending.value
        try:
            self.made = await threads.io_bound(hand_over, self.source, self.run, folder, ending, files=self.session.folder)
        except Exception as error:
            note(error_line(error))
        else:
            clear_note()
            self.session.handed_over.add(self.run.number)
            self.folder.set_value(str(self.session.next_to_source(f"{self.source.name}_released")))
            self.page.changed()
            self.written.refresh()
        self.status.set_text("")
        self.button.set_enabled(True)

    @ui.refreshable_method
    def written(self) -> None:
        """Show what is in the folder, and what was verified."""
        if self.made is None:
            return
        with ui.element("div").classes("verdict good").props("role=status"):
            ui.label(f"Verified: {self.made.folder} contains {how_many(len(self.made.files), 'file')}.")
        with panel("What is in the folder", "Publish only the rows. The other files contain figures of the source."):
            rows = sorted(((name, *_purpose(name)) for name in self.made.files), key=lambda row: row[2] == "no")
            rows_table(_HEADS, rows, "Files of the folder")
        with ui.expansion("What was verified").classes("fold"):
            figures(self.made.verified.items())


def _purpose(name: str) -> tuple[str, str]:
    """Return what a file is for, and whether it may be published."""
    if name in PURPOSES:
        return PURPOSES[name], "no"
    return ("the released rows", "yes") if name.startswith("released") else ("a hierarchy of the release", "no")


def _warning(text: str, *, remedy: bool = False) -> None:
    with ui.element("div").classes("message warn"):
        ui.label(f"{text}.")
        if remedy:
            ui.link("Change the columns", COLUMNS.path)


def _texts(session: Session, source: Source, run: Run) -> None:
    with panel("The same release elsewhere", "With the same secret, each of these texts produces the same rows again."):
        if session.demo:
            paragraph("The made-up table is deleted when the studio ends. Run kanon demo --write to keep one.", "muted")
        for name, text in texts_of(source, run).items():
            sql_text(text, f"{name}: {PURPOSES[name]}")
