"""The page People: whether a row is a person, or a column tells people apart, with the evidence of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from kanon_sql.model.how_many import how_many
from kanon_sql.studio.draft import PERSON, Draft
from kanon_sql.studio.pages.frame import Page, counted, counted_table, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.repetition import COUNTED, Repeated
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import PEOPLE

_HEADS = ("column", "people", "rows", "agree on")


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/people")
    async def people() -> None:
        lead = "The guarantee protects people. Say whether a person has one row in this table, or several."
        with page(session, PEOPLE.path, "Who is a row?", lead, sql=lambda: session.draft.statement) as shown:
            source = await counted_table(session)
            if source is None:
                return
            found = await counted("Looking for people with several rows", lambda: source.repeated)
            if found is not None:
                _Unit(session, source, found, shown).show()


class _Unit:
    """The two answers, and what the table says."""

    def __init__(self, session: Session, source: Source, found: tuple[Repeated, ...], shown: Page) -> None:
        self.session, self.source, self.found, self.page = session, source, found, shown
        self.asked = False  # whether the person wants to choose a column, and has not yet

    @ui.refreshable_method
    def show(self) -> None:
        """Show the answers, and the evidence below them; where rows seem to repeat people, no answer is chosen for anybody."""
        policy = self.session.draft.policy
        per = None if policy.people is None else policy.people.per
        single = next((each for each in self.found if each.column in self.source.columns), None)
        if self.found and per is None:
            with ui.element("div").classes("message warn"):
                ui.label(_sentence(single or self.found[0], self.source))
                if single is not None:
                    ui.button(f"Count people by {single.column}", on_click=partial(self._count_by, single.column))
        with ui.element("div").props('role=radiogroup aria-label="What is a row?"'):
            self._choice(
                "Each row is a different person",
                "Every row is counted as one person.",
                not self.asked and (policy.per_row or (per is None and not self.found)),
                self._rows,
            )
            likely = per or (None if single is None else single.column)
            self._choice(
                "A person can have several rows",
                "Choose the column that identifies the person."
                if likely is None
                else f"People are counted by {likely}. It is not released unless it is a pseudonym.",
                per is not None or self.asked,
                self._ask if likely is None else partial(self._count_by, likely),
            )
        if per is not None or self.asked:
            with panel("Column that identifies a person"):
                ui.select(
                    self.source.columns,
                    label="Column",
                    value=per,
                    with_input=True,
                    on_change=lambda event: self._count_by(event.value),
                ).classes("full")
        self._evidence()

    def _rows(self) -> None:
        self.asked = False
        self._change(self.session.draft.with_rows)

    def _ask(self) -> None:
        """Ask for the column, as nothing suggests one; until it is chosen, it is open who a row is."""
        self.asked = True
        self._change(partial(self.session.draft.with_rows, per_row=False))

    def _count_by(self, column: str) -> None:
        self.asked = False
        self._change(lambda: self.session.draft.with_role(column, PERSON))

    def _choice(self, title: str, words: str, chosen: bool, act: Callable[[], None]) -> None:
        box = ui.element("div").classes("choice" + " chosen" * chosen)
        with box.props(f"role=radio tabindex=0 aria-checked={'true' if chosen else 'false'}"):
            ui.icon("radio_button_checked" if chosen else "radio_button_unchecked").props('aria-hidden="true"')
            with ui.element("div"):
                ui.label(title).style("font-weight:600")
                ui.label(words).classes("muted")
        for event in ("click", "keydown.enter", "keydown.space.prevent"):
            box.on(event, act, args=[])

    def _change(self, act: Callable[[], Draft]) -> None:
        def put() -> None:
            self.session.draft = act()

        tried(put)
        self.show.refresh()
        self.page.changed()

    def _evidence(self) -> None:
        with panel("What the table shows"):
            if not self.found:
                paragraph("No column repeats people: no value groups rows that agree on many other columns.")
                return
            paragraph(
                "Rows with the same value in these columns agree on other columns, as the rows of one person do.", "muted"
            )
            rows = [(each.column, f"{each.people:,}", f"{each.rows:,}", ", ".join(each.shared)) for each in self.found]
            rows_table(_HEADS, rows, "Columns that repeat people", numbers=("people", "rows"))
            if self.source.rows > COUNTED:
                paragraph(f"People and rows are estimated: the table has more than {COUNTED:,} rows.", "muted small")


def _sentence(found: Repeated, source: Source) -> str:
    about = "about " if source.rows > COUNTED else ""
    people, rows = how_many(found.people, "value"), how_many(found.rows, "row")
    together = "" if found.column in source.columns else " Combine these columns into one, such as in a new file."
    return f"{found.column} has {about}{people} in {about}{rows}: a person seems to have several rows.{together}"
