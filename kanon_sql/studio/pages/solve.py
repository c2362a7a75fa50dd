"""The page Solve: releases in processes of their own, with the curve of the search."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from kanon_sql.certificate import Certificate
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.pages.charts import search_options
from kanon_sql.studio.pages.frame import counted_table, figures, page, panel, paragraph, tried
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import FAILED, RELEASED, RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.ways_out import ways_out

_EVERY = 0.5
"""Seconds between two looks at a running search."""


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/solve")
    async def solve() -> None:
        with page(session, "/solve", "Solve"):
            if await counted_table(session) is not None:
                _Solving(session).show()


class _Solving:
    """The statement, its search, and the runs so far."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.run: Run | None = session.runs[-1] if session.runs else None
        self.seen: tuple[int, str] | None = None

    def show(self) -> None:
        """Show the page and look at the run from time to time."""
        with ui.element("div").classes("columns"):
            with ui.element("div"):
                with panel("Statement"):
                    self.text = ui.label("").classes("sql").style("white-space:pre-wrap;font-family:monospace")
                    self.text.set_text(self.session.draft.statement)
                    with ui.element("div").classes("line"):
                        self.name = ui.input("Name of the run").classes("grow")
                        ui.button("Solve", on_click=self._start)
                        ui.link("Change the policy", "/policy")
                with panel("Runs"):
                    self.runs()
            with ui.element("div"):
                with panel("Search"):
                    self.status = ui.label("Nothing is running.").props("role=status")
                    with ui.element("div").classes("line"):
                        self.stop = ui.button("Stop and keep the best", on_click=self._finish)
                        self.cancel = ui.button("Cancel", on_click=self._cancel).props("outline")
                    self.curve = ui.echart(search_options([]), renderer="svg").classes("chart")
                    self.curve.props["aria-label"] = "Cost and lower bound over the seconds of the search"
                    self.curve.props("role=img")
                self.outcome()
        ui.timer(_EVERY, self._watch)
        self._watch()

    def _start(self) -> None:
        def act() -> None:
            self.run = self.session.solve(self.name.value)

        if tried(act):
            self._watch()

    def _finish(self) -> None:
        if self.run is not None:
            self.run.finish()

    def _cancel(self) -> None:
        if self.run is not None:
            self.run.cancel()

    def _watch(self) -> None:
        """Show where the run is, if that has changed."""
        run = self.run
        if run is None:
            self.stop.set_enabled(False)
            self.cancel.set_enabled(False)
            return
        now = (len(run.points), run.state)
        if now == self.seen:
            return
        changed = self.seen is None or self.seen[1] != run.state
        self.seen = now
        last = run.points[-1] if run.points else None
        running = run.state == RUNNING
        self.stop.set_enabled(running and last is not None and last.ready)
        self.cancel.set_enabled(running)
        self.status.set_text(_status(run))
        self.curve.options.update(search_options([(each.seconds, each.cost, each.lower_bound) for each in run.points]))
        self.curve.update()
        if changed:
            self.runs.refresh()
            self.outcome.refresh()

    @ui.refreshable_method
    def runs(self) -> None:
        """List the runs, the last one on top."""
        if not self.session.runs:
            paragraph("No run yet.", "muted")
        for each in reversed(self.session.runs):
            with ui.element("div").classes("line"):
                ui.label(each.name).style("flex:1 1 4rem;overflow-wrap:anywhere")
                ui.label(_short(each))
                ui.button("Show", on_click=lambda each=each: self._choose(each)).props("flat")

    def _choose(self, run: Run) -> None:
        self.run, self.seen = run, None
        self._watch()

    @ui.refreshable_method
    def outcome(self) -> None:
        """Show the certificate of the run, or what went wrong."""
        run = self.run
        if run is None or run.state == RUNNING:
            return
        with panel(run.name):
            if run.state == FAILED:
                paragraph(run.words or "", "bad")
                self._offer(run)
                ui.link("Change the policy", "/policy")
            elif run.state == RELEASED:
                figures(run.figures.items())
                self._offer(run)
                ui.link("Look at the release", "/look")

    def _offer(self, run: Run) -> None:
        """Offer what ends a refusal or a warning: another role of the column that it names."""
        messages = run.release[0].warnings if run.state == RELEASED else (run.words or "",)
        with ui.element("div").classes("line"):
            for name in run.draft.columns:
                for label, role in ways_out(name, run.draft.role(name), "\n".join(messages)):
                    self._button(label, partial(Draft.with_role, column=name, role=role))
            if "repeats people" in "\n".join(messages):
                self._button("Each row is a person", Draft.with_rows)

    def _button(self, label: str, change: Callable[[Draft], Draft]) -> None:
        def act() -> None:
            self.session.draft = change(self.session.draft)

        def clicked() -> None:
            if tried(act):
                self.text.set_text(self.session.draft.statement)

        ui.button(label, on_click=clicked).props("outline")


def _status(run: Run) -> str:
    if run.state != RUNNING:
        return f"{run.name}: {_short(run)}"
    last = run.points[-1] if run.points else None
    if last is None:
        return f"{run.name}: reading"
    cost = "" if last.cost is None else f", cost {last.cost:,.0f}"
    bound = "" if last.lower_bound is None else f", at least {last.lower_bound:,.0f} proven"
    return f"{run.name}: {last.step}, {last.seconds:.0f} s{cost}{bound}"


def _short(run: Run) -> str:
    return _cost(run.release[0]) if run.state == RELEASED else run.state


def _cost(certificate: Certificate) -> str:
    return f"cost {float(certificate.cost):,.0f}, gap {certificate.gap:.1%}, smallest class {certificate.smallest}"
