"""The files of this machine as a list to walk through: names and sizes, never contents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.browsing import Folder, folder, size_in_words
from kanon_sql.studio.pages.frame import clear_note, note, paragraph

Chosen = Callable[[str], None]


class FileBrowser:
    """A folder that is shown.

    Parameters
    ----------
    start : Path
        The folder to begin with.
    chosen : callable
        Takes the path of a file that was clicked.
    """

    def __init__(self, start: Path, chosen: Chosen) -> None:
        self._path, self._chosen = start, chosen
        self._part = ""

    async def show(self) -> None:
        """Show the folder."""
        with ui.element("div").classes("line"):
            self._up = ui.button("Up one level", icon="arrow_upward", on_click=self._upwards).props("outline")
            self._where = ui.label("").classes("grow where")
            find = ui.input("Filter names", on_change=lambda event: self._filtered(event.value)).props("debounce=300")
            find.classes("narrow")
        self._list = ui.element("div").classes("entries").props('role=region aria-label="Files in this folder" tabindex=-1')
        await self._look()

    async def _upwards(self) -> None:
        await self._enter(self._path.parent)

    async def _filtered(self, part: str | None) -> None:
        self._part = part or ""
        await self._look()

    async def _enter(self, path: Path) -> None:
        before, self._path = self._path, path
        if not await self._look():
            self._path = before
            return
        self._list.client.run_javascript(f"getHtmlElement({self._list.id}).focus()")

    async def _look(self) -> bool:
        """Show what the folder holds now; return whether it can be read."""
        try:
            found = await run.io_bound(folder, self._path, self._part)
        except Exception as error:
            note(error_line(error))
            return False
        if found is None:  # the studio ends
            return False
        clear_note()
        self._path = found.path
        self._where.set_text(str(found.path))
        self._up.set_enabled(found.parent is not None)
        self._list.clear()
        with self._list:
            self._entries(found)
        return True

    def _entries(self, found: Folder) -> None:
        if not found.folders and not found.files:
            paragraph("No folder or readable file here." if not self._part else "No name matches.", "muted")
        with ui.element("ul"):
            for path in found.folders:
                self._entry("folder", path.name, "", partial(self._enter, path))
            for each in found.files:
                act = partial(self._chosen, str(each.path))
                self._entry("table_chart", each.path.name, size_in_words(each.size), act)
        if found.left_out:
            paragraph(f"{how_many(found.left_out, 'name')} more: filter the names to find them.", "muted")

    def _entry(self, icon: str, name: str, size: str, act: Callable[[], object]) -> None:
        with ui.element("li"), ui.element("button").classes("entry").props("type=button").on("click", act, args=[]):
            ui.icon(icon).props('aria-hidden="true"')
            ui.label(name).classes("grow")
            if icon == "folder":
                ui.label("folder").classes("hidden")
            ui.label(size).classes("muted small")
