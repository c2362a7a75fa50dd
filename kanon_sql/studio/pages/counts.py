"""The page Counts: a table of counts in which small groups are protected."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from kanon_sql.model.how_many import how_many
from kanon_sql.studio.counts import GROUPINGS, memory_words, reasons, statement_of
from kanon_sql.studio.draft import IDENTIFIER, LINKABLE, PERSON, PSEUDONYM
from kanon_sql.studio.pages.frame import counted, counted_table, figures, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.rows import first_rows
from kanon_sql.studio.search import FAILED, RELEASED, RUNNING
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import K, Source

ROWS = 500
"""Rows of the table that the page shows."""

_EVERY = 0.5
"""Seconds between two looks at a running search."""


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/counts")
    async def counts() -> None:
        with page(session, "/counts", "Counts"):
            source = await counted_table(session)
            if source is None:
                return
            if await counted("Looking for numbers", lambda: source.summable) is not None:
                _Counting(session, source).show()


class _Counting:
    """The form of a protected table, its statement and its rows."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session, self.source = session, source
        self.seen: tuple[int, str] | None = None

    def show(self) -> None:
        """Show the form and the table."""
        policy = self.session.draft.policy
        self.unit = "rows" if policy.people is None and not policy.per_row else "people"
        paragraph(
            f"No count of a few {self.unit} can be worked out from this table, not even from its totals. Some rows are "
            "suppressed because they are small, others because the small ones could be derived from them."
        )
        if policy.people is None:
            said = (
                "each is a person"
                if policy.per_row
                else "if people have several, choose the column of the person on the Data page"
            )
            paragraph(f"The table counts rows; {said}.", "muted")
        people = (IDENTIFIER, PSEUDONYM, LINKABLE, PERSON)
        columns = [name for name in self.source.columns if self.session.draft.role(name) not in people]
        with ui.element("div").classes("columns"):
            with panel("Table"):
                self.keys = (
                    ui.select(columns, label="Count by", value=[], multiple=True, on_change=self._show_statement)
                    .classes("full")
                    .props("use-chips")
                )
                with ui.element("div").classes("line"):
                    self.grouping = ui.select(
                        list(GROUPINGS), label="Rows", value=next(iter(GROUPINGS)), on_change=self._show_statement
                    ).classes("grow")
                    self.k = ui.number(
                        f"Fewest {self.unit}", value=K, min=2, precision=0, on_change=self._show_statement
                    ).style("width:8rem")
                    sums = {"": "nothing", **{name: name for name in self.source.summable}}
                    self.measure = ui.select(sums, label="Sum of", value="", on_change=self._show_statement).classes("grow")
                with ui.element("pre").classes("sql"):
                    self.text = ui.label("")
                with ui.element("div").classes("line"):
                    self.button = ui.button("Protect", on_click=self._start)
                    ui.button("Copy", on_click=lambda: ui.clipboard.write(self.text.text)).props("flat")
                paragraph(memory_words(self.session.remembering), "muted")
                self.status = ui.label("").props("role=status")
            self.outcome()
        ui.timer(_EVERY, self._watch)
        self._show_statement()

    def _statement(self) -> str:
        k = int(self.k.value or 0)
        measure: Any = self.measure.value
        policy = self.session.draft.policy
        people = policy.people
        person = None if people is None else people.per
        kind = self.source.summable[measure] if measure else None
        keys = self.keys.value or []
        return statement_of(
            self.source.spelled, keys, self.grouping.value, k, measure or None, person, per_row=policy.per_row, kind=kind
        )

    def _show_statement(self) -> None:
        self.text.set_text(self._statement() if self.keys.value else "Choose what to count by.")
        self.button.set_enabled(bool(self.keys.value))

    def _start(self) -> None:
        if tried(lambda: self.session.protect(self._statement())):
            self.seen = None
            self._watch()

    def _forget(self) -> None:
        self.session.forget_tables()
        self.seen = None
        self.outcome.refresh()

    def _watch(self) -> None:
        search = self.session.tables[-1] if self.session.tables else None
        if search is None or self.seen == (id(search), search.state):
            return
        self.seen = (id(search), search.state)
        self.status.set_text("Looking for the fewest rows to suppress." if search.state == RUNNING else "")
        self.outcome.refresh()

    @ui.refreshable_method
    def outcome(self) -> None:
        """Show the protected table."""
        search = self.session.tables[-1] if self.session.tables else None
        with ui.element("div"):
            made = len(self.session.protected)
            if made and self.session.remembering is None:
                with panel("Tables made so far"):
                    paragraph(
                        f"The next table is safe together with the {how_many(made, 'table')} made so far. Forget them only if "
                        "nobody will see them."
                    )
                    ui.button("Forget the tables", on_click=self._forget).props("outline")
            if search is None or search.state == RUNNING:
                return
            with panel("Protected table"):
                if search.state == FAILED:
                    paragraph(search.words or "", "bad")
                if search.state == RELEASED:
                    figures(search.figures.items())
                    paragraph("NULL in a key is a total. NULL in a count is a suppressed count; the page says why.", "muted")
                    if search.rows is not None:
                        names, rows = first_rows(search.rows, ROWS)
                        whys = reasons(self.source, search, ROWS)
                        shown = [[*row, why] for row, why in zip(rows, whys, strict=True)]
                        rows_table([*names, "why suppressed"], shown, "Protected table")
                        if search.rows.num_rows > ROWS:
                            paragraph(f"The first {ROWS} of {search.rows.num_rows:,} rows.", "muted")
