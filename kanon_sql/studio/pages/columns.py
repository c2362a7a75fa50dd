"""The page Columns: what each column is, its role, and what its cells show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from nicegui import background_tasks, run, ui

from kanon_sql.engines.duckdb.audit.counted_people import Counted
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.advice import Advice, Adviser
from kanon_sql.studio.column_list import Listed, given, harmless, listed
from kanon_sql.studio.draft import IDENTIFIER, KEPT, NONE, QUASI_IDENTIFIER, Draft
from kanon_sql.studio.pages.column_detail import Sheet
from kanon_sql.studio.pages.column_grid import Grid
from kanon_sql.studio.pages.frame import Page, counted, counted_table, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.pages.native import text
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import COLUMNS

_ADVISED = 3
"""Pieces of advice that are shown at once."""

_NAMED = 8
"""Columns that a message names."""

_SAMPLED = 40
"""Columns of the rows that are shown on request."""


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/columns")
    async def columns(column: str = "") -> None:
        lead = "Give each column a role. What others may know is protected, and what identifies a person is left out."
        with page(session, COLUMNS.path, "Columns", lead, sql=lambda: session.draft.statement) as shown:
            source = await counted_table(session)
            if source is None:
                return
            figures = await counted("Counting who is singled out", lambda: _figures(session, source))
            if figures is None:
                return
            view = _View(session, source, shown, *figures)
            view.show()
        if column in source.columns:
            await view.sheet.open(column)
        await view.advise()


def _figures(session: Session, source: Source) -> tuple[dict[str, int], int]:
    """Return how many people each column singles out, and how many there are."""
    person = session.person
    return source.alone(person), Counted(source.con.cursor(), quoted(source.name), person).people


class _View:
    """The parts of the page; each change is shown in all of them."""

    def __init__(self, session: Session, source: Source, shown: Page, alone: dict[str, int], people: int) -> None:
        self.session, self.source, self.page = session, source, shown
        self.alone, self.people, self.person = alone, people, session.person
        self.unit = "rows" if session.person is None and not session.draft.policy.per_row else "people"
        self.grid = Grid(self.listed(), self.unit, self._give, lambda name: self.sheet.open(name), self._undo)
        self.sheet = Sheet(session, source, lambda: self.grid.found, self.change)
        self.client = ui.context.client
        self._advised: list[Advice] = []
        self._shares: dict[Any, float] = {}
        self._looking = False

    def listed(self) -> list[Listed]:
        """Return the columns as they are now."""
        confirmed = COLUMNS.path in self.session.confirmed
        return listed(self.source, self.session.draft, self.alone, self.people, confirmed=confirmed)

    def show(self) -> None:
        """Show the page."""
        self.open_columns()
        self.advised()
        with panel("Columns"):
            self.grid.show()
        self.grid.undone.set_enabled(self.session.undoable)
        _unique(self.source)
        _sample(self.source)

    def change(self, act: Callable[[], Draft]) -> None:
        """Change the draft and show it."""
        draft = act()
        draft.statement  # noqa: B018 - raises what the statement cannot say
        self.session.draft = draft
        self._refresh()

    def _refresh(self) -> None:
        if self.session.person != self.person:  # other people are counted
            ui.navigate.reload()
            return
        self.grid.changed(self.listed())
        self.grid.undone.set_enabled(self.session.undoable)
        self.open_columns.refresh()
        self.advised.refresh()
        self.page.changed()
        background_tasks.create(self.advise())

    def _give(self, names: Sequence[str], role: str) -> bool:
        done = tried(lambda: self.change(lambda: given(self.source, self.session.draft, names, role)))
        if not done:
            self.grid.changed(self.listed())  # the browser shows the role that was refused
        return done

    def _undo(self) -> None:
        self.session.undo()
        self._refresh()

    @ui.refreshable_method
    def open_columns(self) -> None:
        """Say which columns have no role, with buttons that give all of them one."""
        columns = self.listed()
        without = [each.name for each in columns if each.role == NONE]
        if without:
            have = "has no role yet" if len(without) == 1 else "have no role yet"
            with ui.element("div").classes("message warn"):
                text("div", f"{how_many(len(without), 'column')} {have}: {_named(without)}. {self._meaning(len(without))}")
                with ui.element("div").classes("line"):
                    kept = harmless(self.source, without)
                    if kept and len(kept) < len(without):
                        ui.button(f"Keep {how_many(len(kept), 'harmless column')}", on_click=lambda: self._give(kept, KEPT))
                    self._buttons(without, KEPT, QUASI_IDENTIFIER, IDENTIFIER)
        left_out = [each.name for each in columns if each.left_open]
        if left_out:
            are = "was not recognized, so it is left out" if len(left_out) == 1 else "were not recognized, so they are left out"
            with ui.element("div").classes("message"):
                text("div", f"{how_many(len(left_out), 'column')} {are}: {_named(left_out)}.")
                with ui.element("div").classes("line"):
                    self._buttons(left_out, QUASI_IDENTIFIER, KEPT)

    def _meaning(self, number: int) -> str:
        """Return what happens to columns without a role."""
        if self.session.draft.policy.keep or self.session.draft.pseudonyms:
            return "Other columns are kept or replaced with codes, so each column needs a role."
        return f"The release is refused if {'it identifies' if number == 1 else 'they identify'} people."

    def _buttons(self, names: list[str], *roles: str) -> None:
        which = "it" if len(names) == 1 else "them" if len(names) == 2 else f"all {len(names)}"
        words = {KEPT: f"Keep {which}", QUASI_IDENTIFIER: f"Protect {which}", IDENTIFIER: f"Leave {which} out"}
        for role in roles:
            ui.button(words[role], on_click=lambda role=role: self._give(names, role)).props("outline")

    async def advise(self) -> None:
        """Look for columns that lose too much, in a thread of its own; again if the draft changes meanwhile."""
        if self._looking:
            return
        self._looking, draft, found = True, None, list[Advice]()
        try:
            while draft is not self.session.draft and not self.client.is_deleted:
                draft = self.session.draft
                found = await run.io_bound(self._adviser(draft).all) or []
        finally:
            self._looking = False
        if not self.client.is_deleted:
            self._advised = found
            self.advised.refresh()

    def _adviser(self, draft: Draft) -> Adviser:
        return Adviser(
            source=self.source,
            draft=draft,
            person=self.person,
            people=self.people,
            runs=tuple(self.session.released),
            folder=self.session.folder,
            shares=self._shares,
        )

    @ui.refreshable_method
    def advised(self) -> None:
        """Show advice, each with the button that follows it."""
        found = [each for each in self._advised if self.session.draft.role(each.column) == QUASI_IDENTIFIER]
        if not found:
            return
        with ui.element("div").classes("message warn advice"):
            for each in found[:_ADVISED]:
                with ui.element("div").classes("line"):
                    text("span", f"{each.column}: {each.why}")
                    if each.what is None:
                        ui.button("Choose what it shows", on_click=lambda each=each: self.sheet.open(each.column)).props(
                            "outline"
                        )
                    else:
                        what = f"{each.what[0].lower()}{each.what[1:]}"
                        ui.button(f"Use {what}", on_click=lambda each=each: self._follow([each])).props("outline")
            whole = [each for each in found if each.what is not None]
            if len(whole) > 1:
                more = f"{len(found) - _ADVISED} more columns would lose a lot. " if len(found) > _ADVISED else ""
                with ui.element("div").classes("line"):
                    text("span", f"{more}The advice can be undone.", "muted")
                    ui.button(f"Follow the advice for {len(whole)} columns", on_click=lambda: self._follow(whole))

    def _follow(self, advice: list[Advice]) -> None:
        """Change the recodings as advised."""

        def act() -> Draft:
            draft = self.session.draft
            weights = {each.column: Fraction(each.weight) for each in draft.policy.quasi_identifiers}
            for each in advice:
                draft = draft.with_column(each.column, weight=weights[each.column], recoding=each.recoding)
            return draft

        if tried(lambda: self.change(act)):
            self._advised = [each for each in self._advised if each not in advice]
            self.advised.refresh()


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _unique(source: Source) -> None:
    if source.suggested is None or not source.suggested.unique_columns:
        return
    with panel("Columns that single people out"):
        for names, share in source.suggested.unique_columns:
            paragraph(f"{', '.join(names)}: {share:.1%} of the {'rows' if source.person is None else 'people'}")


def _sample(source: Source) -> None:
    with panel("Rows of the source", "The rows are about people. They are shown only on request."):

        @ui.refreshable
        def rows(shown: bool) -> None:
            if shown:
                names = source.columns[:_SAMPLED]
                rows_table(names, source.sample(names), "Rows of the source")
                if len(names) < len(source.columns):
                    paragraph(f"The first {len(names)} of {how_many(len(source.columns), 'column')}.", "muted")

        ui.button("Show a few rows", on_click=lambda: rows.refresh(True)).props("outline")
        rows(False)
