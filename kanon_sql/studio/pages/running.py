"""A search that runs, or has ended without a release, on the page Result."""

from __future__ import annotations

import time
from collections.abc import Callable

from nicegui import ui

from kanon_sql.model.how_many import how_many
from kanon_sql.studio.curve import best, curve
from kanon_sql.studio.pages.charts import search_curve, search_options
from kanon_sql.studio.pages.frame import panel, paragraph
from kanon_sql.studio.pages.remedies import message
from kanon_sql.studio.plain_verdict import raised
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import FAILED, RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

_EVERY = 0.5
"""Seconds between two looks at a running search."""


class Running:
    """A search at work."""

    def __init__(self, source: Source, run: Run, ended: Callable[[], None]) -> None:
        self.source, self.run, self.ended = source, run, ended
        self.points = 0

    def show(self) -> None:
        """Show the search, and look at it from time to time."""
        with panel(self.run.name):
            with ui.element("div").classes("waiting"):
                ui.spinner(size="1.2em").props('aria-hidden="true"')
                self.status = ui.label(_status(self.run)).props("role=status")
            with ui.element("div").classes("tiles"):
                self.seconds = _tile("since the start")
                self.best = _tile(_of(self.run))
                self.gap = _tile("avoidable share of this loss, or less")
            with ui.element("div").classes("line"):
                self.stop = ui.button("Stop and keep the best", on_click=self._finish)
                ui.button("Cancel", on_click=self.run.cancel).props("outline")
            with ui.expansion("Progress").classes("fold"):
                self.step = ui.label("").classes("muted small")
                self.chart = search_curve(curve(self.run))
        self.timer = ui.timer(_EVERY, self._watch)
        self._watch()

    def _finish(self) -> None:
        self.run.finish()
        self._watch()

    def _watch(self) -> None:
        run = self.run
        if run.state != RUNNING:
            self.timer.deactivate()
            self.ended()
            return
        self.status.set_text(_status(run))
        self.seconds.set_text(f"{time.monotonic() - run.started:,.0f} s")
        self.stop.set_enabled(any(each.ready for each in run.points) and not run.finished)
        cost, bound = best(run)
        self.best.set_text("-" if cost is None else _loss(self.source, run, cost))
        self.gap.set_text("-" if cost is None or bound is None else raised((cost - bound) / cost if cost else 0))
        if len(run.points) != self.points:
            self.points = len(run.points)
            self.step.set_text(f"Step of the algorithm: {run.points[-1].step}")
            self.chart.options.update(search_options(curve(run)))
            self.chart.update()


def _tile(name: str) -> ui.label:
    with ui.element("div").classes("tile"):
        value = ui.label("-").classes("value")
        ui.label(name).classes("name")
    return value


def _status(run: Run) -> str:
    if run.finished:
        return "Stopping. The best release so far is being checked."
    if not run.points:
        return "Reading the table."
    if not any(each.ready for each in run.points):
        return "Building a first release."
    return "A release was found. Looking for one that loses less."


def _of(run: Run) -> str:
    return "of the protected cells suppressed in the best release so far" if run.plain else "loss of the best release so far"


def _loss(source: Source, run: Run, cost: float) -> str:
    cells = source.rows * len(run.draft.policy.quasi_identifiers)
    if run.plain and run.draft.dropped is not None and cells:
        return f"{cost / cells:.1%}"
    return how_many(round(cost), "cell")


def without_release(session: Session, run: Run, changed: Callable[[], None]) -> None:
    """Show why a search has no release, and what ends this."""
    if run.state == FAILED:
        words = run.words or "the search failed"
        message(session, f"{words[:1].upper()}{words[1:]}", "bad", changed, after=run.draft)
    else:
        paragraph(f"{run.name} was cancelled. There is no release.")
