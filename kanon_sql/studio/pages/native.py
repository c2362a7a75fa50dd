"""Fields of the browser itself: hundreds of them are light, and a keyboard or a phone knows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

Chosen = Callable[[str], Any]
"""Takes the value that was chosen."""

_VALUE = "(event) => emit(event.target.value)"

_CHECKED = "(event) => emit(event.target.checked)"


class Select(ui.element):
    """A list to choose from; its options are words of the studio.

    Parameters
    ----------
    options : mapping of str to str
        The values and their words.
    """

    def __init__(self, options: Mapping[str, str], value: str, label: str, chosen: Chosen | None = None) -> None:
        super().__init__("select")
        self.value = value
        self.classes("native")
        shown = (f'<option value="{escape(each)}">{escape(words)}</option>' for each, words in options.items())
        self.props["innerHTML"] = "".join(shown)  # one element, not one an option
        self.props["value"] = value
        self.props["aria-label"] = label

        def changed(event: Any) -> Any:
            self.value = self.props["value"] = str(event.args)
            return None if chosen is None else chosen(self.value)

        self.on("change", changed, js_handler=_VALUE)

    def put(self, value: str) -> None:
        """Show a value, even if the person has chosen another one that was refused."""
        self.value = self.props["value"] = value
        self.update()


class Checkbox(ui.element):
    """A box to check."""

    def __init__(self, label: str, checked: bool, changed: Callable[[bool], Any]) -> None:
        super().__init__("input")
        self.props["type"] = "checkbox"
        self.props["aria-label"] = label
        self.classes("native")
        self.put(checked)
        self.on("change", lambda event: changed(bool(event.args)), js_handler=_CHECKED)

    def put(self, checked: bool) -> None:
        """Check the box, or clear it."""
        self.props["checked"] = checked
        self.update()


def text(tag: str, words: str, classes: str = "") -> TextElement:
    """Show a text in an element of its own, without one more around it."""
    return TextElement(tag=tag, text=words).classes(classes)
