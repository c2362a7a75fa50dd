"""The part of the page Look with all releases: risk against loss, or against the error of queries."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.frontier import Point, frontier
from kanon_sql.studio.pages.charts import scatter
from kanon_sql.studio.pages.frame import figures, note, panel, paragraph
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source


def all_releases(session: Session, source: Source) -> None:
    """Show every release as a point, and a field for the queries that will be run on it."""
    if len(session.released) < 2:
        return
    with panel("All releases: risk and loss"):

        @ui.refreshable
        def points(found: list[Point]) -> None:
            queried = all(each.error is not None for each in found)
            said = "error of the queries" if queried else "loss"
            shown = [(each.name, each.risk, each.error or 0.0 if queried else each.loss) for each in found]
            scatter(
                f"Risk of the worst row and {said}, of every release",
                [(name, 100 * risk, 100 * loss) for name, risk, loss in shown],
                "risk of the worst row, %",
                f"{said}, %",
            )
            figures([(name, f"risk {risk:.1%}, {said} {loss:.1%}") for name, risk, loss in shown])

        points(frontier(source, session.released))
        paragraph("Write the queries that the release will be asked, to compare releases by their errors.", "muted")
        text = (
            ui.textarea("Queries", value=session.queries, placeholder="SELECT sex, count(*) FROM patients GROUP BY sex;")
            .classes("full")
            .props("autogrow")
        )

        async def measure() -> None:
            session.queries = text.value or ""
            button.set_enabled(False)
            try:
                points.refresh(await threads.io_bound(frontier, source, session.released, session.queries))
            except Exception as error:
                note(error_line(error))
            button.set_enabled(True)

        button = ui.button("Measure the errors", on_click=measure).props("outline")
