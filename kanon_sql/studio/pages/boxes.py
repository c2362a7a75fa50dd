"""Groups as boxes: a label is dragged from one into another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from kanon_sql.studio.rows import brief

MOST_LABELS = 200
"""Labels that can be dragged; more are chosen from a list."""

_PICK = "(event) => { event.dataTransfer.setData('text/plain', ''); event.dataTransfer.effectAllowed = 'move'; emit(); }"
"""The label stays on the server: what is dragged carries nothing."""

_OVER = "(event) => event.currentTarget.classList.add('over')"

_AWAY = "(event) => event.currentTarget.classList.remove('over')"


class Boxes:
    """A box for each group, one for labels without a group, and one that makes a new group.

    Parameters
    ----------
    groups : dict of list
        The labels of each group; a label alone under its own name has no group.
    moved : callable
        Takes a label and the group that it was dropped on: a name, None for no group, an empty text for a new one.
    """

    def __init__(self, groups: dict[str, list[str]], moved: Callable[[str, str | None], None]) -> None:
        self.moved = moved
        self.dragged: str | None = None
        alone = [name for name, labels in groups.items() if labels == [name]]
        with ui.element("div").classes("boxes"):
            self._box("Without a group", None, alone)
            for name, labels in groups.items():
                if labels != [name]:
                    self._box(brief(name), name, labels)
            self._box("New group", "", [])

    def _box(self, title: str, name: str | None, labels: list[str]) -> None:
        with ui.element("div").classes("box").props("role=group") as box:
            box.props["aria-label"] = title
            ui.label(title).classes("title")
            for label in labels:
                chip = ui.label(brief(label)).classes("chip").props("draggable=true")
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
