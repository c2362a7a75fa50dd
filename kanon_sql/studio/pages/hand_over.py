"""The page Hand over: everything about a release in one folder."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.hand_over import FORMATS, hand_over, texts_of
from kanon_sql.studio.pages.frame import needs_source, note, page, panel, paragraph
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

_TITLES = {
    "release.sql": "SQL: kanon run release.sql",
    "release.sh": "Command",
    "release.py": "Python",
    "policy.json": "Policy file",
    "policy.sql": "Stored policy",
    "model.sql": "dbt model",
    "model.yml": "dbt columns",
}


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/hand-over")
    def show(number: int = 0) -> None:
        with page(session, "/hand-over", "Hand over"):
            if not needs_source(session) or session.source is None:
                return
            runs = {each.number: each for each in session.released}
            if not runs:
                paragraph("There is no release yet.")
                ui.link("Make one on the Solve page", "/solve")
                return
            run = runs.get(number, session.released[-1])
            ui.select(
                {number: each.name for number, each in runs.items()},
                label="Release",
                value=run.number,
                on_change=lambda event: ui.navigate.to(f"/hand-over?number={event.value}"),
            ).classes("full")
            _folder(session, session.source, run)
            _texts(session, session.source, run)
            with panel("More tables of the same people"):
                paragraph("Release them together, or they reveal more than each alone.")
                ui.link("Release several tables", "/tables")


def _folder(session: Session, source: Source, run: Run) -> None:
    with panel("All of it as a folder"):
        paragraph(
            "The rows are written, read again and audited. The folder appears only when it is complete. Publish only the rows: "
            "report.html and certificate.json contain figures of the source."
        )
        for each in run.release[0].warnings:
            paragraph(f"Warning: {each}.", "bad")
        if session.handed_over - {run.number}:
            paragraph(
                "Warning: another release of this table was written before. Two releases of the same people can reveal more "
                "together than each alone. Hand over one, or measure both with intersection_risk.",
                "bad",
            )
        with ui.element("div").classes("line"):
            folder = ui.input("New folder", value=str(session.next_to_source(f"{source.name}_released"))).classes("grow")
            ending = ui.select(list(FORMATS), label="Format of the rows", value=FORMATS[0]).style("min-width:12rem")

            async def write() -> None:
                button.set_enabled(False)
                status.set_text("Writing ...")
                try:
                    names = await threads.io_bound(hand_over, source, run, folder.value, ending.value)
                    session.handed_over.add(run.number)
                    status.set_text(f"Written: {', '.join(names or [])}.")
                except Exception as error:
                    status.set_text("")
                    note(error_line(error))
                button.set_enabled(True)

            button = ui.button("Write the folder", on_click=write)
        status = ui.label("").props("role=status")


def _texts(session: Session, source: Source, run: Run) -> None:
    with panel("The same release elsewhere"):
        paragraph("With the same secret, these texts produce the same rows again.", "muted")
        if session.demo:
            paragraph("The invented table is deleted when the studio ends. Run kanon demo --write to keep one.", "muted")
        for name, text in texts_of(source, run).items():
            with ui.expansion(_TITLES.get(name, name), value=name == "release.sql").classes("full"):
                with ui.element("pre").classes("sql"):
                    ui.label(text)
                ui.button("Copy", on_click=lambda text=text: ui.clipboard.write(text)).props(f'flat aria-label="Copy {name}"')
