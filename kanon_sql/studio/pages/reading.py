"""A file before it is opened: the tables in it, how it was read, and the fields that read it otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.engines.duckdb.files.csv_cells import Unread
from kanon_sql.engines.duckdb.files.places import kind_of
from kanon_sql.errors import SourceError
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.opening import Opening
from kanon_sql.studio.pages.frame import clear_note, counted, note, panel, paragraph, rows_table, sql_text
from kanon_sql.studio.reading import DECIMALS, ENCODINGS, FORMS, SIGNS, forms_for, mixed, names_of, without_names
from kanon_sql.studio.rows import first_rows
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

ROWS = 20
"""Rows that are shown on request."""

_DETECT = "detect"

_MONTH_FIRST = {"%d/%m/%Y": "%m/%d/%Y"}


async def shown(session: Session, opening: Opening) -> None:
    """Show a file that was chosen: first that it is read, then what it holds."""

    def other() -> None:
        session.choose(None)
        ui.navigate.to("/")

    ui.button("Choose another file", icon="arrow_back", on_click=other).props("flat").classes("other")
    listed = opening.undecided
    if await counted(f"Reading {opening.called}", opening.look) is None:
        return
    if opening.undecided and not listed:
        ui.navigate.to("/")  # nothing can be used before a table is chosen
    elif opening.undecided:
        _inside(opening)
    else:
        await _Preview(opening).show()


def _inside(opening: Opening) -> None:
    """List the tables of a database, or the sheets of a workbook."""

    def chosen(name: str) -> None:
        opening.table = name
        ui.navigate.to("/")

    what = "sheets" if kind_of(opening.text) == "workbook" else "tables"
    with panel(opening.called, f"It has {len(opening.inside)} {what}. Choose one."), ui.element("ul").classes("entries"):
        for name in opening.inside:
            with ui.element("li"), ui.element("button").classes("entry").props("type=button") as entry:
                ui.icon("table_chart").props('aria-hidden="true"')
                ui.label(name).classes("grow")
            entry.on("click", lambda name=name: chosen(name), args=[])


def _first(source: Source) -> tuple[list[str], list[list[str | None]]]:
    return first_rows(source.before(f"FROM {source.spelled} LIMIT {ROWS}"), ROWS)


class _Preview:
    """How a file was read; a change of a field reads it again."""

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self._turn = 0
        self._asked = False

    async def show(self) -> None:
        """Show the fields and what they give."""
        with panel(self.opening.called):
            if self.opening.is_csv:
                self._fields()
            with ui.element("div").classes("waiting").props("role=status") as self._status:
                ui.spinner(size="1.2em").props('aria-hidden="true"')
                ui.label("Reading the file again ...")
            self._status.set_visibility(False)
            self._result()

    def _fields(self) -> None:
        """Show the fields: what is detected can be said instead."""
        dialect = self.opening.dialect
        signs, encodings = dict(SIGNS), dict(ENCODINGS)
        if dialect.delimiter is not None:
            signs.setdefault(dialect.delimiter, dialect.delimiter)
        if dialect.encoding is not None:
            encodings.setdefault(dialect.encoding, dialect.encoding)
        forms = FORMS | {form: form for form in dialect.dates if form not in FORMS}
        with ui.element("div").classes("fields"):
            self._choice("Delimiter", {_DETECT: "detected", **signs}, dialect.delimiter or _DETECT, "delimiter")
            self._choice("Encoding", {_DETECT: "detected", **encodings}, dialect.encoding or _DETECT, "encoding")
            self.dates = ui.select(forms, label="Dates written as", multiple=True, value=list(dialect.dates))
            self.dates.on_value_change(lambda event: self._again(dates=tuple(event.value)))
            self.decimal = self._choice("Decimal sign", DECIMALS, dialect.decimal, "decimal")
            self.names = ui.input("Column names", value=", ".join(dialect.names), placeholder="in line 1")
            self.names.props("stack-label").on("change", self._named)

    def _choice(self, label: str, options: dict[str, str], value: str, field: str) -> ui.select:
        return ui.select(
            options,
            label=label,
            value=value,
            on_change=lambda event: self._again(**{field: None if event.value == _DETECT else event.value}),
        )

    async def _named(self) -> None:
        try:
            names = names_of(self.names.value or "")
        except SourceError as error:
            note(str(error))
            return
        await self._again(names=names)

    async def _again(self, **changes: Any) -> None:
        """Read the file in another way; of several changes, the last one is shown."""
        dialect = replace(self.opening.dialect, **changes)
        if dialect == self.opening.dialect:
            return
        self.opening.dialect = dialect
        self._turn += 1
        turn = self._turn
        self._status.set_visibility(True)
        await run.io_bound(self.opening.look)
        if turn == self._turn and not ui.context.client.is_deleted:
            self._status.set_visibility(False)
            clear_note()
            self._result.refresh()

    @ui.refreshable_method
    def _result(self) -> None:
        """Show what was read, or why it cannot be read."""
        opening = self.opening
        if opening.wrong is not None:
            with ui.element("div").classes("message bad").props("role=alert"):
                ui.label(opening.wrong)
        if opening.source is None or opening.reading is None:
            return
        found, source = opening.reading, opening.source
        with ui.element("p").classes("read"):
            ui.label(f"Read as: {found.words}").style("display:inline")
        paragraph(how_many(source.rows, "row"), "muted")
        if opening.is_csv:
            self._first_line(source)
            self._unread()
        for remark in found.remarks:
            paragraph(remark, "warn")
        rows_table(("column", "kind"), found.columns, "Columns")
        if opening.is_csv:
            paragraph("Kinds are guessed from up to 200 different values of each column.", "muted small")
        self._rows(source)
        sql_text(found.sql)

    def _rows(self, source: Source) -> None:
        """Offer the first rows: they are of people, so they are shown only on request; from then on after each change."""

        async def show() -> None:
            self._asked = True
            button.set_enabled(False)
            try:
                found = await run.io_bound(_first, source)
            except Exception as error:
                if self.opening.source is source:  # else it is being read again
                    note(error_line(error))
                return
            if found is not None and not button.is_deleted:
                button.delete()
                with place:
                    rows_table(*found, "First rows", empty="empty")

        with ui.element("div").classes("full") as place:
            button = ui.button(f"Show {ROWS} rows", on_click=show).props("outline")
        if self._asked:
            ui.timer(0, show, once=True)

    def _first_line(self, source: Source) -> None:
        """Ask about a first line that looks like a row."""
        if self.opening.dialect.names or not without_names(source.columns):
            return

        async def numbered() -> None:
            self.names.set_value(", ".join(f"column{number}" for number in range(1, len(source.columns) + 1)))
            await self._named()

        with ui.element("div").classes("message warn"):
            ui.label("The first line looks like a row, not like column names. Write the names into the field Column names.")
            ui.button("Number the columns", on_click=numbered).props("outline")

    def _unread(self) -> None:
        """Show columns that were left as texts, with what reads them."""
        found = () if self.opening.reading is None else self.opening.reading.unread
        dates, numbers = [each for each in found if each.dates], [each for each in found if not each.dates]
        forms = forms_for(self.opening.dialect, dates)
        if any(each.month_first for each in dates):
            month_first = [_MONTH_FIRST.get(form, form) for form in forms]
            ways = {"Read the day first": forms, "Read the month first": month_first}
            unclear = ", ".join(each.column for each in dates if each.month_first)
            more = f"The values of {unclear} do not show whether the day or the month comes first."
        else:
            ways, more = {"Read them as dates": forms}, ""
        if dates:
            _offer(dates, {words: partial(self.dates.set_value, value) for words, value in ways.items()}, more)
        if numbers:
            _offer(numbers, {"Read them as numbers": partial(self.decimal.set_value, ",")})


def _offer(columns: list[Unread], ways: dict[str, Callable[[], object]], more: str = "") -> None:
    """Say what was left as texts, with buttons that read it."""
    with ui.element("div").classes("message warn"):
        with ui.element("div"):
            for each in columns:
                ui.label(mixed(each))
            if more:
                ui.label(more)
        for words, act in ways.items():
            ui.button(words, on_click=act).props("outline")
