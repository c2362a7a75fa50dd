"""The page People: whether a row is a person, or a column tells people apart, with the evidence of the table."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kanon_sql.model.how_many import how_many
from kanon_sql.studio.draft import PERSON
from kanon_sql.studio.pages.frame import Page, counted, counted_table, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.repetition import COUNTED, Repeated
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import PEOPLE

_ROW, _COLUMN = "row", "column"

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

    @ui.refreshable_method
    def show(self) -> None:
        """Show the answers, and the evidence below them."""
        policy = self.session.draft.policy
        per = None if policy.people is None else policy.people.per
        if self.found and per is None:
            with ui.element("div").classes("message warn"):
                ui.label(_sentence(self.found[0]))
                first = self.found[0].column
                ui.button(f"Count people by {first}", on_click=lambda: self._change(lambda: self._by(first)))
        with ui.element("div").props('role=radiogroup aria-label="What is a row?"'):
            self._choice(
                "Each row is a different person",
                "Every row is counted as one person.",
                per is None,
                lambda: self.session.draft.with_rows(),
            )
            likely = per or (self.found[0].column if self.found else self.source.columns[0])
            self._choice(
                "A person can have several rows",
                f"People are counted by {likely}. It is not released unless it is a pseudonym.",
                per is not None,
                lambda: self._by(likely),
            )
        if per is not None:
            with panel("Column that identifies a person"):
                ui.select(
                    self.source.columns,
                    label="Column",
                    value=per,
                    with_input=True,
                    on_change=lambda event: self._change(lambda: self._by(event.value)),
                ).classes("full")
        self._evidence()

    def _by(self, column: str) -> object:
        return self.session.draft.with_role(column, PERSON)

    def _choice(self, title: str, words: str, chosen: bool, act: Callable[[], object]) -> None:
        box = ui.element("div").classes("choice" + " chosen" * chosen)
        with box.props(f"role=radio tabindex=0 aria-checked={'true' if chosen else 'false'}"):
            ui.icon("radio_button_checked" if chosen else "radio_button_unchecked").props('aria-hidden="true"')
            with ui.element("div"):
                ui.label(title).style("font-weight:600")
                ui.label(words).classes("muted")
        for event in ("click", "keydown.enter", "keydown.space.prevent"):
            box.on(event, lambda: self._change(act))

    def _change(self, act: Callable[[], object]) -> None:
        def put() -> None:
            self.session.draft = act()  # type: ignore[assignment]

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


def _sentence(found: Repeated) -> str:
    people, rows = how_many(found.people, "value"), how_many(found.rows, "row")
    return f"{found.column} has {people} in {rows}: a person seems to have several rows."
