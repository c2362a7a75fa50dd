"""The page Hierarchy: put the values of a column into groups, and use them in the policy."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nicegui import ui

from kanon_sql.engines.duckdb.files.staging import put_text
from kanon_sql.model.validation import as_text, same_name
from kanon_sql.studio.file_names import file_name
from kanon_sql.studio.hierarchy import Hierarchy
from kanon_sql.studio.pages.frame import counted, counted_table, page, panel, paragraph, rows_table, tried
from kanon_sql.studio.rows import brief
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import COLUMNS

MOST_VALUES = 2_000
"""Values of a column that can be put into groups by hand."""

_SHOWN = 200
"""Lines of the hierarchy that the page shows."""

MOST_LABELS = 200
"""Labels that can be dragged; more are chosen from a list."""

_PICK = "(event) => { event.dataTransfer.setData('text/plain', ''); event.dataTransfer.effectAllowed = 'move'; emit(); }"
"""The label stays on the server: what is dragged carries nothing."""

_OVER = "(event) => event.currentTarget.classList.add('over')"

_AWAY = "(event) => event.currentTarget.classList.remove('over')"


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/hierarchy")
    async def hierarchy(column: str = "") -> None:
        with page(session, COLUMNS.path, f"Groups of {column}"):
            source = await counted_table(session)
            if source is None:
                return
            if column not in source.columns:
                paragraph("There is no such column.", "bad")
                return
            values = await counted("Counting the values", lambda: source.values(column, MOST_VALUES + 1))
            if values is None:
                return
            if len(values) > MOST_VALUES:
                paragraph(f"The column has more than {MOST_VALUES:,} values, too many to group by hand.")
                ui.link("Back to the column", _address(column))
                return
            _Grouping(session, source, column, values).show()


def _address(column: str) -> str:
    return f"{COLUMNS.path}?column={quote(column)}"


class _Grouping:
    """The groups of one column."""

    def __init__(self, session: Session, source: Source, column: str, values: dict[str, int]) -> None:
        self.session, self.source, self.column, self.values = session, source, column, values
        self.hierarchy = Hierarchy(list(values))
        self.level = 1

    def show(self) -> None:
        """Show the form and the groups."""
        ui.link("Back to the column", _address(self.column)).classes("full")
        with ui.element("div").classes("columns"):
            with ui.element("div"):
                self.form()
                self._file()
            with panel("Levels of each value"):
                self.lines()

    @ui.refreshable_method
    def form(self) -> None:
        """Show what can be grouped."""
        with panel(f"Groups of level {self.level}"):
            labels = self.hierarchy.labels(self.level - 1)
            dragged = len(labels) <= MOST_LABELS
            paragraph(
                f"{'Drag a label into a group. Or choose' if dragged else 'Choose'} labels, name their group, and press Group. "
                "A label without a group does not change.",
                "muted",
            )
            chosen = (
                ui.select(labels, label="Labels", value=[], multiple=True, with_input=True).classes("full").props("use-chips")
            )
            name = ui.input("Name of the group")

            def group() -> None:
                if tried(lambda: self.hierarchy.group(self.level, chosen.value or [], name.value or "")):
                    self._refreshed()

            def up() -> None:
                self.level = len(self.hierarchy.levels) + 1
                self._refreshed()

            def remove() -> None:
                self.hierarchy.remove()
                self.level = len(self.hierarchy.levels)
                self._refreshed()

            with ui.element("div").classes("line"):
                ui.button("Group", on_click=group)
                ui.button("Next level", on_click=up).props("outline")
                ui.button("Remove the highest level", on_click=remove).props("flat")
            if dragged:
                rows = self.hierarchy.rows(self.level - 1, self.values)
                Boxes(self.hierarchy.groups(self.level), rows, lambda label, to: self._moved(label, to, name.value or ""))

    def _moved(self, label: str, to: str | None, name: str) -> None:
        """Put a label into the group that it was dropped on."""

        def act() -> None:
            if to is None:
                self.hierarchy.ungroup(self.level, [label])
            else:
                self.hierarchy.group(self.level, [label], to or name.strip() or self._free_name())

        if tried(act):
            self._refreshed()

    def _free_name(self) -> str:
        taken = {*self.hierarchy.labels(self.level - 1), *self.hierarchy.groups(self.level)}
        return next(name for number in count(1) if (name := f"group {number}") not in taken)

    def _refreshed(self) -> None:
        self.form.refresh()
        self.lines.refresh()

    @ui.refreshable_method
    def lines(self) -> None:
        """Show each value with its labels."""
        levels = self.hierarchy.levels
        names = ["value", "rows", *(f"level {number}" for number in range(1, len(levels) + 1))]
        rows = [
            [brief(value), f"{self.values[value]:,}", *(brief(level[value]) for level in levels)]
            for value in self.hierarchy.values[:_SHOWN]
        ]
        rows_table(names, rows, "Levels of the values", numbers=("rows",))
        if len(self.hierarchy.values) > _SHOWN:
            paragraph(f"The first {_SHOWN} of {len(self.hierarchy.values):,} values.", "muted")

    def _file(self) -> None:
        with panel("Use the groups"):
            paragraph("The groups become a hierarchy of the release. The handed-over folder contains it as a file.", "muted")
            ui.button("Use these groups", on_click=lambda: self._then(tried(self._use), _address(self.column)))
        with ui.expansion("Start from a hierarchy file").classes("fold"):
            paragraph(
                "A CSV file with the values in the first column and their groups in the next ones, as ARX writes it.", "muted"
            )
            with ui.element("div").classes("line"):
                file = ui.input("File").classes("grow")

                def read() -> None:
                    self.hierarchy.read(Path(file.value).expanduser().read_text(encoding="utf-8"))
                    self.level = len(self.hierarchy.levels)

                ui.button("Read the file", on_click=lambda: self._then(tried(read), None)).props("outline")

    def _use(self) -> None:
        """Keep the groups as a file of this session, and generalize the column by it."""
        name = file_name(f"{self.source.name}_{self.column}.csv")
        put_text(self.hierarchy.text(), self.session.folder / name, replace=True)
        draft = self.session.draft
        own = next(each for each in draft.policy.quasi_identifiers if same_name(each.column) == same_name(self.column))
        self.session.draft = draft.with_column(self.column, weight=Fraction(own.weight), recoding=f"HIERARCHY {as_text(name)}")

    def _then(self, done: bool, target: str | None) -> None:
        if done and target is not None:
            ui.navigate.to(target)
        elif done:
            self._refreshed()


class Boxes:
    """A box for each group, one for labels without a group, and one that makes a new group.

    Parameters
    ----------
    groups : dict of list
        The labels of each group; a label alone under its own name has no group.
    rows : dict of int
        The rows of each label.
    moved : callable
        Takes a label and the group that it was dropped on: a name, None for no group, an empty text for a new one.
    """

    def __init__(self, groups: dict[str, list[str]], rows: dict[str, int], moved: Callable[[str, str | None], None]) -> None:
        self.rows, self.moved = rows, moved
        self.dragged: str | None = None
        alone = [name for name, labels in groups.items() if labels == [name]]
        with ui.element("div").classes("boxes"):
            self._box("Without a group", None, alone)
            for name, labels in groups.items():
                if labels != [name]:
                    self._box(brief(name), name, labels)
            self._box("New group", "", [])

    def _box(self, title: str, name: str | None, labels: list[str]) -> None:
        with ui.element("div").classes("box").props("role=group tabindex=0") as box:
            box.props["aria-label"] = title
            ui.label(title).classes("title")
            for label in labels:
                chip = ui.label(brief(label)).classes("chip").props(f"draggable=true data-rows='{self.rows[label]:,}'")
                chip.on("dragstart", lambda _, label=label: self._picked(label), args=[], js_handler=_PICK)
        box.on("dragover.prevent", js_handler=_OVER)
        box.on("dragleave", js_handler=_AWAY)
        box.on("drop.prevent", lambda _: self._dropped(name), args=[])

    def _picked(self, label: str) -> None:
        self.dragged = label

    def _dropped(self, name: str | None) -> Any:
        label, self.dragged = self.dragged, None
        if label is not None:
            self.moved(label, name)
