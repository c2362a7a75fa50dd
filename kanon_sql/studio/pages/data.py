"""The page Data: open a table, see its columns, and give each a role."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.engines.duckdb.files.places import Place, readable
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.draft import ROLES
from kanon_sql.studio.pages.charts import bars
from kanon_sql.studio.pages.frame import counted_table, figures, note, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import K, Profiled, Source

LISTED = 60
"""Columns that the list shows."""

_NUMBERS = ("values", "empty", "rows singled out")

_HEADS = ("column", "role", "type", *_NUMBERS)

_TOUR = (
    "Data: each column has a role. An identifier is dropped; a quasi-identifier may be known to an attacker.",
    "Policy: choose the guarantee. The statement on the right changes with every click, and you can edit it.",
    "Solve: the solver looks for the release that loses the least. The curve shows how far from the minimum it can be.",
    "Look: compare the release with the source, row by row and column by column.",
    "Hand over: write the release, its certificate and the statement that reproduces it to a folder.",
)


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/")
    async def data() -> None:
        with page(session, "/", "Data"):
            _open(session)
            source = await counted_table(session) if session.source is not None else None
            if source is not None:
                _columns(session, source)
        if session.demo and not session.toured:
            session.toured = True
            _tour()


def _open(session: Session) -> None:
    if session.source is not None:
        figures([("file", str(session.source.place)), ("rows", f"{session.source.rows:,}")])
    with ui.expansion("Open another table" if session.source else "Open a table", value=session.source is None):
        paragraph("Enter a file on this machine: CSV, TSV, Parquet, JSON, or DATABASE.duckdb::TABLE. It is read in place.")
        with ui.element("div").classes("line"):
            file = ui.input("File", autocomplete=readable(Path.cwd())).classes("grow")

            async def opened() -> None:
                words = await run.io_bound(_failure, session, file.value.strip())
                if words is None:
                    ui.navigate.to("/")
                else:
                    note(words)

            file.on("keydown.enter", opened)
            ui.button("Open", on_click=opened)


def _failure(session: Session, text: str) -> str | None:
    """Open a table; return what went wrong, in words."""
    try:
        session.open(Place.of(text))
    except Exception as error:
        return error_line(error)
    return None


def _columns(session: Session, source: Source) -> None:
    chosen = {"column": source.columns[0]}

    @ui.refreshable
    def detail() -> None:
        _detail(session, source, chosen["column"], refreshed)

    @ui.refreshable
    def table() -> None:
        _table(session, source, find.value or "", chosen["column"], choose)

    def refreshed() -> None:
        table.refresh()
        detail.refresh()

    def choose(column: str) -> None:
        chosen["column"] = column
        refreshed()

    with ui.element("div").classes("columns wide-left"):
        with panel("Columns"):
            paragraph("Choose a column to see its values and to change its role.", "muted")
            find = ui.input("Find a column", on_change=lambda: table.refresh()).props("clearable debounce=300")
            table()
        with ui.element("div"):
            detail()
            _unique(source)
            _sample(source)


def _table(session: Session, source: Source, wanted: str, chosen: str, choose: Callable[[str], None]) -> None:
    """List the columns whose names have a text, as many as a page can show."""
    found = [each for each in source.profile if wanted.casefold() in each.name.casefold()]
    alone = source.alone(session.person)
    with ui.element("div").classes("rows").props('tabindex=0 role=region aria-label="Columns"'), ui.element("table"):
        with ui.element("thead"), ui.element("tr"):
            for name in _HEADS:
                with ui.element("th").props("scope=col").classes("number" if name in _NUMBERS else ""):
                    ui.label(name)
        with ui.element("tbody"):
            for each in found[:LISTED]:
                with ui.element("tr").classes("chosen" if each.name == chosen else ""):
                    with ui.element("td"):
                        ui.button(each.name, on_click=lambda name=each.name: choose(name)).props("flat dense")
                    share = f"{alone[each.name] / each.rows:.1%}" if each.rows else "-"
                    for text in (session.draft.role(each.name), each.type):
                        with ui.element("td"):
                            ui.label(text)
                    for text in (f"{each.distinct:,}", f"{each.nulls:,}", share):
                        with ui.element("td").classes("number"):
                            ui.label(text)
    if len(found) > LISTED:
        paragraph(f"{LISTED} of {len(found):,} columns. Find the others by name.", "muted")


def _detail(session: Session, source: Source, name: str, refreshed: Callable[[], None]) -> None:
    found: Profiled = next(each for each in source.profile if each.name == name)
    with panel(name):
        role = session.draft.role(name)

        def change(event: Any) -> None:
            def act() -> None:
                session.draft = session.draft.with_role(name, event.value)

            tried(act)
            refreshed()

        ui.select(list(ROLES), label="Role", value=role, on_change=change).classes("full")
        suggested = next((each for each in (source.suggested.roles if source.suggested else ()) if each.column == name), None)
        paragraph(
            f"Suggested: {suggested.role} ({suggested.reason})." if suggested else f"It looks like: {found.role}.", "muted"
        )
        person = session.person
        intervals = source.histogram(name, person)
        values = intervals or source.frequent(name, person)
        if values:
            title = f"{'Rows by' if intervals else 'Most frequent values of'} {name}"
            bars(title, [value for value, _ in values], [("rows", [n for _, n in values])], low=True)
        counted = "rows" if person is None else "people"
        paragraph(f"Only {'intervals' if intervals else 'values'} of at least {K} {counted} are shown.", "muted")


def _unique(source: Source) -> None:
    if source.suggested is None or not source.suggested.unique_columns:
        return
    with panel("Columns that single people out"):
        for names, share in source.suggested.unique_columns:
            paragraph(f"{', '.join(names)}: {share:.1%} of the {'rows' if source.person is None else 'people'}")


def _sample(source: Source) -> None:
    with panel("Rows of the source"):
        paragraph("The rows are about people. They are shown only on request.", "muted")

        @ui.refreshable
        def rows(shown: bool) -> None:
            if shown:
                names = source.columns[:40]
                rows_table(names, source.sample(names), "Rows of the source")
                if len(names) < len(source.columns):
                    paragraph(f"The first {len(names)} of {how_many(len(source.columns), 'column')}.", "muted")

        ui.button("Show a few rows", on_click=lambda: rows.refresh(True)).props("outline")
        rows(False)


def _tour() -> None:
    with ui.dialog(value=True) as dialog, ui.card():
        with ui.element("h2"):
            ui.label("Five steps to a release")
        with ui.element("ol"):
            for text in _TOUR:
                with ui.element("li"):
                    ui.label(text)
        ui.button("Start", on_click=dialog.close)
