"""The tab Runs: all releases in one table, two of them compared, and their risk against their loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run as threads
from nicegui import ui

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.report.comparison import Comparison
from kanon_sql.report.figure_rows import figure_rows, percent
from kanon_sql.studio.comparing import compare_runs
from kanon_sql.studio.frontier import Point, frontier
from kanon_sql.studio.pages.charts import scatter
from kanon_sql.studio.pages.frame import heading, note, paragraph, rows_table
from kanon_sql.studio.plain_verdict import guarantee_of, raised, share
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import RELEASED
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

_LOST = "cells that lost a value"
"""What a comparison calls suppressed: unlike the certificate, it leaves out cells that were empty before."""

_HEADS = ("run", "guarantee", "suppressed", "highest risk", "avoidable at most", "seconds")


class Runs:
    """The runs, one of which is chosen."""

    def __init__(self, session: Session, source: Source, run: Run) -> None:
        self.session, self.source, self.run = session, source, run
        self.busy = False
        self.compared: Comparison | None = None
        self.points: list[Point] = []

    def show(self) -> None:
        """Show all of them."""
        self.table()
        if len(self.session.released) > 1:
            self._compare()
            self.points = frontier(self.source, self.session.released)
            self.outcome()

    @ui.refreshable_method
    def table(self) -> None:
        """List the runs with their differences to the chosen one, and a field for its name."""
        chosen = self.run.release[0]
        with (
            ui.element("div").classes("rows").props('tabindex=0 role=region aria-label="All runs"'),
            ui.element("table"),
        ):
            with ui.element("thead"), ui.element("tr"):
                for name in _HEADS:
                    with ui.element("th").props("scope=col").classes("number" if name in _HEADS[2:] else ""):
                        ui.label(name)
            with ui.element("tbody"):
                for each in reversed(self.session.runs):
                    self._row(each, chosen)
        if len(self.session.released) > 1:
            paragraph(f"In brackets: the difference to {self.run.name}, in percentage points.", "muted")
        with ui.element("div").classes("line"):
            named = ui.input("Name of this run", value=self.run.name).classes("grow")
            ui.button("Rename", on_click=lambda: self._rename(named.value)).props("outline")

    def _row(self, run: Run, chosen: Certificate) -> None:
        same = run is self.run
        with ui.element("tr").classes("chosen" if same else ""):
            with ui.element("th").props("scope=row"):
                if same:
                    ui.label(f"{run.name} (shown)")
                else:
                    state = "" if run.state == RELEASED else f" ({run.state})"
                    ui.link(f"{run.name}{state}", f"/result?run={run.number}&tab=runs")
            for value, number in _cells(run, chosen, same=same):
                with ui.element("td").classes("number" if number else ""):
                    ui.label(value)

    def _rename(self, name: str | None) -> None:
        self.run.name = (name or "").strip() or self.run.name
        self.table.refresh()

    def _compare(self) -> None:
        heading("Compare two runs")
        others = {each.number: each.name for each in self.session.released}
        second = next(number for number in reversed(others) if number != self.run.number)
        with ui.element("div").classes("line"):
            one = ui.select(others, label="First run", value=self.run.number).classes("grow")
            two = ui.select(others, label="Second run", value=second).classes("grow")
        queries = (
            ui.textarea(
                "Queries (optional)",
                value=self.session.queries,
                placeholder="SELECT sex, count(*) FROM patients GROUP BY sex;",
            )
            .classes("full")
            .props("autogrow hint='SQL that people will run on the release: its errors are compared.'")
        )

        async def compare() -> None:
            self.session.queries = queries.value or ""
            runs = {each.number: each for each in self.session.released}
            button.set_enabled(False)
            button.set_text("Comparing ...")
            try:
                pair = [runs[one.value], runs[two.value]]
                self.compared = await threads.io_bound(compare_runs, self.source, pair, self.session.queries)
                self.points = await threads.io_bound(frontier, self.source, self.session.released, self.session.queries) or []
            except Exception as error:
                note(error_line(error))
            button.set_text("Compare")
            button.set_enabled(True)
            self.outcome.refresh()

        button = ui.button("Compare", on_click=compare).props("outline")

    @ui.refreshable_method
    def outcome(self) -> None:
        """Show the comparison, and all runs as points."""
        if self.compared is not None:
            paragraph(self.compared.advice)
            if self.compared.open is not None:
                paragraph(str(self.compared.open), "warn")
            names = [each.name for each in self.compared.releases]
            heads = ("figure", *names)
            rows = [
                (_LOST if name == "suppressed cells" else name, *cells) for name, *cells in figure_rows(self.compared.releases)
            ]
            rows_table(heads, rows, "Comparison", numbers=names)
        queried = bool(self.points) and all(each.error is not None for each in self.points)
        loss = "median error of queries" if queried else "suppressed cells"
        heading(f"Highest risk against {loss}")
        shown = [(each.name, each.risk, (each.error or 0.0) if queried else each.suppressed) for each in self.points]
        scatter(
            f"Highest risk against {loss}, a point for each run",
            [(name, round(100 * risk, 2), round(100 * lost, 2)) for name, risk, lost in shown],
            "highest risk of re-identification, %",
            f"{loss}, %",
        )
        heads = ("run", "highest risk", loss)
        rows_table(heads, [(name, percent(risk), percent(lost)) for name, risk, lost in shown], "Points", numbers=heads[1:])


def _cells(run: Run, chosen: Certificate, *, same: bool) -> list[tuple[str, bool]]:
    """Return the cells of a run after its name, each with whether it is a number."""
    if run.state != RELEASED:
        return [(", ".join(each.describe() for each in run.draft.policy.requirements), False), *[("-", True)] * 4]
    one = run.release[0]

    def compared(mine: float | None, theirs: float | None, said: Callable[[Any], str] = share) -> str:
        if same or mine is None or theirs is None:
            return said(mine)
        return f"{said(mine)} ({100 * (mine - theirs):+.1f})"

    return [
        (guarantee_of(one), False),
        (compared(one.suppressed_share, chosen.suppressed_share), True),
        (compared(one.highest_risk, chosen.highest_risk), True),
        (compared(one.gap, chosen.gap, raised), True),
        (f"{one.seconds:,.1f}", True),
    ]
