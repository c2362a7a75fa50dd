"""The form of what the cells of a column show: by type in words, with a preview, and as SQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from nicegui import run, ui

from kanon_sql.clause import recodings_of
from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.how_many import how_many
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import PERIODS, Digits, Generalization, Intervals, has_fixed_labels
from kanon_sql.model.validation import fraction, same_name, whole
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.pages.frame import paragraph, rows_table
from kanon_sql.studio.pages.native import text
from kanon_sql.studio.preview import Labelled, Preview
from kanon_sql.studio.recoding_choices import (
    GROUPS,
    OTHER,
    WAYS,
    Holds,
    start_of,
    text_of,
    way_of,
    ways,
    weight_words,
)
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import K, Source
from kanon_sql.table.labels.intervals import decimal

_HIDDEN = "(few)"
"""What stands for a value that fewer than `K` people share."""


class RecodingForm:
    """What the cells of one quasi-identifier show.

    Parameters
    ----------
    holding : Holds
        What the column holds.
    tried : callable
        Takes what makes the next draft, and returns whether it is right.
    unit : str
        What is counted: people or rows.
    """

    def __init__(
        self,
        session: Session,
        source: Source,
        column: str,
        holding: Holds,
        tried: Callable[[Callable[[], Draft]], bool],
        unit: str,
    ) -> None:
        self.session, self.source, self.column, self.holding = session, source, column, holding
        self.tried, self.unit = tried, unit
        self._asked = 0

    @property
    def own(self) -> QuasiIdentifier:
        """Return the column as the draft has it now."""
        name = same_name(self.column)
        return next(each for each in self.session.draft.policy.quasi_identifiers if same_name(each.column) == name)

    def show(self) -> None:
        """Show the form; the place of the preview comes below it."""
        text("h3", "What a cell shows")
        self.way = way_of(self.own.recoding)
        self.ways = ui.radio(self._options(), value=self.way, on_change=lambda event: self._chosen(event.value))
        self.ways.props("dense aria-label='What a cell shows'").classes("ways")
        self.fields()
        with ui.expansion("Write it as SQL").classes("fold"):
            self.written = ui.input("After IN, or TOP and BOTTOM", value=text_of(self.own.recoding)).classes("full")
            ui.button("Apply", on_click=lambda: self._put(lambda: self._read(self.written.value or ""))).props("outline")
        self.counted = ui.element("div").props("role=status aria-live=polite")
        text("h3", "How important is this column?")
        self._importance()

    def _options(self) -> dict[str, str]:
        return {each: WAYS[each] for each in dict.fromkeys([*ways(self.column, self.holding), self.way])}

    @ui.refreshable_method
    def fields(self) -> None:
        """Show the fields of the chosen way."""
        match self.own.recoding:
            case Intervals(steps=(str(), *_)) as dates:
                self._periods(dates)
            case Intervals(steps=(_, *_)) as widths:
                written = ", ".join(decimal(Fraction(each)) for each in widths.steps)
                self._numbers("Widths, in ascending order", written, "steps")
                self._only(widths, "The number itself may be shown")
                self._limits(widths, "number")
            case Cuts() as cuts:
                self._numbers("Limits, in ascending order", ", ".join(map(decimal, cuts.at)), "at")
                self._only(cuts, "The number itself may be shown")
            case Coded() as coded:
                self._limits(coded, "number")
            case Digits(shown=shown):
                self._numbers("How many characters, such as 5, 3 (empty: any number)", ", ".join(map(str, shown)), "shown")
        if self.way == GROUPS:
            ui.link("Put the values into groups", self._groups)

    def _read(self, written: str) -> Generalization | None:
        return recodings_of({self.column: written})[self.column] if written.strip() else None

    @property
    def _groups(self) -> str:
        return f"/hierarchy?column={quote(self.column)}"

    async def _chosen(self, way: str) -> None:
        if way == self.way:
            return
        if way == GROUPS:
            ui.navigate.to(self._groups)
        elif way != OTHER:
            await self._put(lambda: start_of(way, self.holding))

    async def _put(self, made: Callable[[], Generalization | None]) -> None:
        """Change the recoding, and show the preview of it; the fields stay unless the way is another one."""
        if not self.tried(lambda: self._draft(recoding=made())):
            return
        self.written.set_value(text_of(self.own.recoding))
        way = way_of(self.own.recoding)
        if way != self.way:
            self.way = way
            self.ways.set_options(self._options(), value=way)
            self.fields.refresh()
        await self.preview()

    def _draft(self, **parts: Any) -> Draft:
        own = replace(self.own, **parts)
        return self.session.draft.with_column(self.column, weight=Fraction(own.weight), recoding=text_of(own.recoding))

    async def _replaced(self, made: Callable[[], dict[str, Any]]) -> None:
        """Change parts of the recoding; losses that were written for other levels no longer suit it."""
        await self._put(lambda: replace(self.own.recoding, loss=(), **made()))  # type: ignore[type-var]

    def _periods(self, recoding: Intervals) -> None:
        with ui.element("div").classes("line"):
            boxes = {each: ui.checkbox(each, value=each in recoding.steps) for each in PERIODS}

        async def changed() -> None:
            steps = tuple(each for each, box in boxes.items() if box.value)
            if steps:
                await self._replaced(lambda: {"steps": steps})
            else:
                await self._put(lambda: None)

        for box in boxes.values():
            box.on_value_change(changed)
        self._only(recoding, "The date itself may be shown")
        self._limits(recoding, "year")

    def _numbers(self, label: str, written: str, part: str) -> None:
        field = ui.input(label, value=written).classes("full")

        def read() -> dict[str, Any]:
            found = tuple(fraction(each.strip(), label) for each in (field.value or "").split(",") if each.strip())
            if part == "shown":
                return {part: tuple(whole(int(each) if each == int(each) else each, label, 1) for each in found)}
            if not found:
                raise PolicyError("the list is empty; hint: enter numbers, such as 5, 10")
            return {part: found}

        field.on("change", lambda: self._replaced(read))

    def _only(self, recoding: Intervals | Cuts, words: str) -> None:
        box = ui.checkbox(words, value=not recoding.only)
        box.on_value_change(lambda: self._replaced(lambda: {"only": not box.value}))

    def _limits(self, recoding: Intervals | Coded, what: str) -> None:
        with ui.element("div").classes("line"):
            fields = {
                end: ui.number(f"All {words} this {what} together", value=None if now is None else float(now)).classes("grow")
                for end, words, now in (("top", "from", recoding.top), ("bottom", "up to", recoding.bottom))
            }

        async def changed() -> None:
            ends = {end: None if field.value is None else fraction(field.value, end) for end, field in fields.items()}
            if isinstance(self.own.recoding, Coded) and set(ends.values()) == {None}:
                await self._put(lambda: None)
            else:
                await self._replaced(lambda: ends)

        for field in fields.values():
            field.on("change", changed)

    def _importance(self) -> None:
        def words() -> str:
            return weight_words(Fraction(self.own.weight))

        with ui.element("div").classes("line"):
            number = ui.number("Importance", value=float(self.own.weight), min=0, step=0.5).style("width:8rem")
            said = text("span", words(), "muted").props("role=status")

        def put() -> Draft:
            if number.value is None:
                raise PolicyError("the importance is empty; hint: enter a number above 0")
            return self._draft(weight=fraction(number.value, "the importance"))

        number.on("change", lambda: said.set_text(words()) if self.tried(put) else None)

    async def preview(self) -> None:
        """Count what the labels leave of the values; a later change makes an earlier count void."""
        self._asked += 1
        asked, recoding = self._asked, self.own.recoding
        self.counted.clear()
        with self.counted:
            paragraph("Counting the labels ...", "muted")
        try:
            found = await run.io_bound(
                lambda: Labelled(self.source, self.column, recoding, self.session.person, self.session.folder).preview()
            )
            problem = ""
        except Exception as error:
            found, problem = None, error_line(error)
        if asked != self._asked or self.counted.is_deleted:
            return
        self.counted.clear()
        with self.counted:
            if problem:
                paragraph(problem, "bad")
            elif found is not None:
                self._figures(found)
                if recoding is not None and not has_fixed_labels(recoding):
                    paragraph("The labels depend on the classes of the release, so they are known after it was made.", "muted")

    def _figures(self, found: Preview) -> None:
        paragraph(figures_words(found, self.unit))
        rows = [[_HIDDEN if each is None else each for each in row] for row in found.rows]
        if rows:
            heads = [each.name for each in found.levels]
            rows_table(heads, rows, f"Labels of {self.column}")
            paragraph(f"{_HIDDEN}: fewer than {K} {self.unit} share it.", "muted small")
        else:
            paragraph(f"No value is shared by {K} {self.unit}, so none is shown here.", "muted small")
        if not found.levels[0].shown:
            paragraph("The value itself is never released.", "muted small")


def figures_words(found: Preview, unit: str) -> str:
    """Return how many people stand alone with each label, as a sentence."""
    value, *levels = found.levels
    of = how_many(found.people, unit.removesuffix("s"), unit) if unit == "rows" else f"{found.people:,} {unit}"
    words = f"{value.alone:,} of {of} have a value of their own"
    return "; ".join([words, *(f"{each.name[0].lower()}{each.name[1:]}: {each.alone:,}" for each in levels)]) + "."
