"""The page Table of counts: what to count, by which columns, and how small a count may be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nicegui import run, ui

from kanon_sql.studio.counts import EVERY, PLAIN, RIGHT, UNKNOWN, countable, measures, memory_words, unit, widths
from kanon_sql.studio.pages.count_result import CountResult
from kanon_sql.studio.pages.frame import Page, counted, counted_table, page, panel, paragraph, tried
from kanon_sql.studio.remedies import Remedy
from kanon_sql.studio.search import RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

_PATH = "/counts"

_TOTALS = {
    EVERY: "Totals of every column and combination",
    RIGHT: "Subtotals from left to right",
    PLAIN: "No totals",
}

_LEAD = "Publish how many people there are in each group, without giving away the small groups."

_EVERY = 0.3
"""Seconds between two looks at a running search."""


def build(session: Session) -> None:
    """Register the page."""

    @ui.page(_PATH)
    async def counts() -> None:
        with page(session, _PATH, "Table of counts", _LEAD, sql=lambda: _statement(session)) as shown:
            source = await counted_table(session)
            if source is None:
                return
            keys = session.counts.form.keys
            found = await counted(
                "Looking for numbers and dates", lambda: (measures(source), {name: widths(source, name) for name in keys})
            )
            if found is not None:
                await _Counting(session, source, shown, *found).show()


def _statement(session: Session) -> str:
    source, form = session.source, session.counts.form
    if source is None or not form.keys:
        return "-- Choose what to count by."
    return f"{form.statement(source, session.draft.policy)};"


class _Counting:
    """The form of a table of counts, and the last table below it."""

    def __init__(
        self, session: Session, source: Source, shown: Page, measured: list[str], grouped: dict[str, tuple[str, ...]]
    ) -> None:
        self.session, self.source, self.page = session, source, shown
        self.measures, self.widths = measured, grouped
        self.result = CountResult(session, self._repair)

    async def show(self) -> None:
        """Show the form and the table."""
        self.form()
        self.status = ui.label("").props("role=status").classes("muted")
        await self.result.show()
        ui.timer(_EVERY, self._watch)

    @ui.refreshable_method
    def form(self) -> None:
        """Show the choices."""
        form, draft = self.session.counts.form, self.session.draft
        columns = countable(self.source, draft)
        with panel("What to count"):
            with ui.element("div").classes("line"):
                ui.label(self._unit_words())
                ui.link("Change", "/people").props('aria-label="Change the unit"')
            ui.select(
                columns,
                label="Count by",
                value=list(form.keys),
                multiple=True,
                on_change=lambda event: self._by(tuple(event.value)),
            ).classes("full").props("use-chips")
            if not columns:
                paragraph("Every column is an identifier. Change the role of a column on the Columns page.", "warn")
            self.groups()
            with ui.element("div").classes("line"):
                ui.select(
                    _TOTALS, label="Totals", value=form.grouping, on_change=lambda event: self._put(grouping=event.value)
                ).classes("grow")
                ui.number(
                    f"Smallest count shown ({unit(draft.policy)})",
                    value=form.k,
                    min=2,
                    precision=0,
                    on_change=lambda event: self._put(k=max(2, int(event.value or 2))),
                ).classes("grow")
                ui.select(
                    {"": "nothing", **{name: name for name in self.measures}},
                    label="Also show the sum of",
                    value=form.measure or "",
                    on_change=lambda event: self._put(measure=event.value or None),
                ).classes("grow")
            with ui.element("div").classes("line"):
                self.button = ui.button("Make the table", on_click=self._start)
            paragraph(memory_words(self.session.remembering), "muted small")

    def _unit_words(self) -> str:
        policy = self.session.draft.policy
        if policy.people is not None:
            return f"People are counted, each once: {policy.people.per} tells them apart."
        if policy.per_row:
            return "People are counted: each row is a different person."
        return "Rows are counted. Nobody has said yet whether a row is a person."

    @ui.refreshable_method
    def groups(self) -> None:
        """Show how the values of dates and numbers are grouped, and what empty cells count as."""
        form = self.session.counts.form
        with ui.element("div").classes("line"):
            for name in form.keys:
                if not self.widths.get(name):
                    continue
                words = {width: f"by {width}" if width.isalpha() else f"in groups of {width}" for width in self.widths[name]}
                ui.select(
                    {"": "each value", **words},
                    label=f"Count {name}",
                    value=form.widths.get(name, ""),
                    on_change=lambda event, name=name: self._group(name, event.value),
                ).classes("grow")
            if any(each.nulls for each in self.source.profile if each.name in form.keys):
                ui.checkbox(
                    f"Count empty cells as '{UNKNOWN}'",
                    value=form.unknown,
                    on_change=lambda event: self._put(unknown=event.value),
                )

    def _group(self, name: str, width: str) -> None:
        others = {key: value for key, value in self.session.counts.form.widths.items() if key != name}
        self._put(widths=others | ({name: width} if width else {}))

    async def _by(self, keys: tuple[str, ...]) -> None:
        for name in keys:
            if name not in self.widths:
                self.widths[name] = await run.io_bound(widths, self.source, name) or ()
        self._put(keys=keys)
        self.groups.refresh()

    def _put(self, **choices: Any) -> None:
        self.session.counts.form = replace(self.session.counts.form, **choices)
        self.page.changed()

    def _start(self) -> None:
        if tried(self.session.protect):
            self._watch()

    async def _repair(self, remedy: Remedy) -> None:
        """Take another form, or another answer, and make the table."""

        def act() -> None:
            if remedy.discards:
                self.session.counts.discard(self.session.counts.discardable)
            if remedy.form is not None:
                self.session.counts.form = remedy.form
            if remedy.draft is not None:
                self.session.draft = remedy.draft

        if tried(act):
            self.form.refresh()
            await self._by(self.session.counts.form.keys)
            self._start()

    def _watch(self) -> None:
        table = self.session.counts.last
        running = table is not None and table.state == RUNNING
        self.status.set_text("Looking for the fewest counts to suppress ..." if running else "")
        self.button.set_enabled(bool(self.session.counts.form.keys) and not running)
        self.result.watch()
