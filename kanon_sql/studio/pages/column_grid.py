"""The grid of the page Columns: a row for each column with its role to choose, filters, and changes of several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from nicegui import ui

from kanon_sql.model.how_many import how_many
from kanon_sql.studio.column_list import ROLE_OPTIONS, Listed, matching
from kanon_sql.studio.draft import NONE, QUASI_IDENTIFIER
from kanon_sql.studio.pages.frame import paragraph
from kanon_sql.studio.pages.native import Checkbox, Select, text

PAGE = 40
"""Columns of a page of the grid."""

_GIVEN = {role: words for role, words in ROLE_OPTIONS.items() if role != NONE}


class Grid:
    """The rows of the grid.

    Parameters
    ----------
    unit : str
        What is counted: people or rows.
    give : callable
        Takes names of columns and their new role, and returns whether they have it.
    opened : callable
        Takes the name of the column whose details are requested.
    undo : callable
        Takes the last change back.
    """

    def __init__(
        self,
        columns: list[Listed],
        unit: str,
        give: Callable[[Sequence[str], str], bool],
        opened: Callable[[str], Any],
        undo: Callable[[], Any],
    ) -> None:
        self.columns, self.unit, self.give, self.opened, self.undo = columns, unit, give, opened, undo
        self.chosen: set[str] = set()
        self.next_role = QUASI_IDENTIFIER  # what the chosen columns will be
        self.place = 0
        self._roles: dict[str, Select] = {}
        self._looks: dict[str, Any] = {}
        self._shown: dict[str, Any] = {}
        self._boxes: dict[str, Checkbox] = {}

    def show(self) -> None:
        """Show the filters, the bar of the chosen columns, and the rows."""
        with ui.element("div").classes("line"):
            self.find = ui.input("Find a column", on_change=self._filtered).props("clearable debounce=300").classes("grow")
            with ui.element("div").classes("grow"):
                options = {"": "All roles", **ROLE_OPTIONS}
                self.role = Select(options, "", "Show the columns with this role", lambda _: self._filtered())
            self.undone = ui.button("Undo", on_click=self.undo).props("outline")
        self.bar()
        self.rows()

    def changed(self, columns: list[Listed]) -> None:
        """Show other roles of the same columns in the rows that are there: the keyboard stays where it is."""
        known = {each.name: each for each in columns}
        before = {each.name: each for each in self.columns}
        self.columns = [known[name] for name in before]
        for name, select in self._roles.items():
            if select.value != known[name].role:
                select.put(known[name].role)
            self._looks[name].set_text(_looks(known[name]))
            if before[name].shown != known[name].shown:
                self._show_recoding(known[name])

    @property
    def found(self) -> list[Listed]:
        """Return the columns that match the filters."""
        return matching(self.columns, self.find.value or "", self.role.value)

    def _filtered(self) -> None:
        self.place = 0
        self.rows.refresh()

    @ui.refreshable_method
    def bar(self) -> None:
        """Show what can be done with the chosen columns at once."""
        with ui.element("div").classes("bulk" + " some" * bool(self.chosen)).props("role=region aria-label='Chosen columns'"):
            if not self.chosen:
                paragraph("Check columns to give several of them a role at once.", "muted")
                return
            number = how_many(len(self.chosen), "column")
            text("span", f"Set the role of {number} to").props("role=status")
            Select(_GIVEN, self.next_role, f"Role for {number}", lambda role: setattr(self, "next_role", role))
            ui.button("Apply", on_click=self._apply)
            ui.button("Clear", on_click=lambda: self._choose(list(self.chosen), False)).props("flat")

    def _apply(self) -> None:
        if self.give([each.name for each in self.columns if each.name in self.chosen], self.next_role):
            self._choose(list(self.chosen), False)

    def _choose(self, names: Sequence[str], chosen: bool) -> None:
        """Choose columns, or choose them no longer."""
        changed = set(names)
        self.chosen = self.chosen | changed if chosen else self.chosen - changed
        for name, box in self._boxes.items():
            if name in changed:
                box.put(name in self.chosen)
        self._all.put({each.name for each in self.found} <= self.chosen)
        self.bar.refresh()

    @ui.refreshable_method
    def rows(self) -> None:
        """Show a page of rows."""
        self._roles, self._looks, self._shown, self._boxes = {}, {}, {}, {}
        found = self.found
        if not found:
            paragraph("No column matches. Clear the name, or show all roles.", "muted")
            return
        part = found[self.place * PAGE : (self.place + 1) * PAGE]
        with ui.element("div").classes("rows grid").props('role=region aria-label="Columns" tabindex=0'), ui.element("table"):
            with ui.element("thead"), ui.element("tr"):
                with ui.element("th").props("scope=col"):
                    names = [each.name for each in found]
                    all_of_them = set(names) <= self.chosen
                    words = f"Choose {how_many(len(names), 'column')}"
                    self._all = Checkbox(words, all_of_them, lambda on: self._choose(names, on))
                for head in ("Column", "What it looks like", "Role"):
                    text("th", head).props("scope=col")
                for head in ("Values", "Empty", f"{self.unit.capitalize()} singled out"):
                    text("th", head, "number").props("scope=col")
                text("th", "What a cell shows").props("scope=col")
            with ui.element("tbody"):
                for each in part:
                    self._row(each)
        if len(found) > PAGE:
            self._pages(len(found))

    def _pages(self, found: int) -> None:
        pages = ceil(found / PAGE)

        def to(place: int) -> None:
            self.place = place
            self.rows.refresh()

        with ui.element("div").classes("line"):
            first, last = self.place * PAGE + 1, min((self.place + 1) * PAGE, found)
            text("span", f"Columns {first} to {last} of {found}", "muted").props("role=status")
            ui.button("Previous", on_click=lambda: to(self.place - 1)).props("outline").set_enabled(self.place > 0)
            ui.button("Next", on_click=lambda: to(self.place + 1)).props("outline").set_enabled(self.place + 1 < pages)

    def _row(self, each: Listed) -> None:
        name = each.name
        with ui.element("tr"):
            with ui.element("td").classes("check"):
                self._boxes[name] = Checkbox(f"Choose {name}", name in self.chosen, lambda on: self._choose([name], on))
            with ui.element("th").props("scope=row").classes("name"):
                button = ui.button(name, on_click=lambda: self.opened(name)).props("flat dense")
                button.props["aria-label"] = f"Details of {name}"
                text("div", each.kind, "muted small")
            self._looks[name] = text("td", _looks(each), "looks")
            with ui.element("td").classes("role"):
                self._roles[name] = Select(ROLE_OPTIONS, each.role, f"Role of {name}", lambda role: self.give([name], role))
            share = "< 0.1%" if 0 < each.share < 0.001 else f"{each.share:.1%}"
            for head, words in (("values", f"{each.values:,}"), ("empty", f"{each.empty:,}"), ("singled out", share)):
                text("td", words, "number").props(f'data-head="{head}"')
            with ui.element("td").classes("shown"):
                self._shown[name] = ui.button(on_click=lambda: self.opened(name)).props("flat dense")
            self._show_recoding(each)

    def _show_recoding(self, each: Listed) -> None:
        button = self._shown[each.name]
        button.set_text(each.shown)
        button.props["aria-label"] = f"Change what a cell of {each.name} shows: {each.shown}"
        button.set_visibility(bool(each.shown))


def _looks(each: Listed) -> str:
    return f"{each.looks}. Left out until you choose a role." if each.left_open else each.looks
