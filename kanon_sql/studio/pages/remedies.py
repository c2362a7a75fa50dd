"""Buttons that end a refusal or a warning, and what comes after them: another search."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kanon_sql.studio.draft import Draft
from kanon_sql.studio.pages.frame import tried
from kanon_sql.studio.session import Session
from kanon_sql.studio.steps import RESULT
from kanon_sql.studio.ways_out import Remedy, remedies


def anonymize(session: Session) -> None:
    """Start a search with the settings as they are now, and show it."""
    if tried(session.solve):
        ui.navigate.to(RESULT.path)


def message(session: Session, text: str, kind: str, changed: Callable[[], None], *, after: Draft) -> None:
    """Show a refusal or a warning with what ends it.

    Parameters
    ----------
    text : str
        The words.
    kind : str
        ``bad`` or ``warn``.
    changed : callable
        Called when a button has changed the draft.
    after : Draft
        The draft that the words are about.
    """
    with ui.element("div").classes(f"message {kind}").props("role=alert" if kind == "bad" else "role=note"):
        found = remedies(after, text)
        ui.label(text.partition("; hint:")[0] if found else text)  # the buttons do what the hint says of SQL
        if found:
            with ui.element("div").classes("line"):
                for each in found:
                    _button(session, each, changed)


def _button(session: Session, remedy: Remedy, changed: Callable[[], None]) -> None:
    def act() -> None:
        session.draft = remedy.change(session.draft)

    def clicked() -> None:
        if tried(act):
            changed()

    ui.button(remedy.label, on_click=clicked).props("outline")
