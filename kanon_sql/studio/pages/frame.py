"""What all pages share: the bar with the steps, headings, panels, and errors as notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

T = TypeVar("T")

STEPS = (
    ("/", "Data"),
    ("/policy", "Policy"),
    ("/solve", "Solve"),
    ("/look", "Look"),
    ("/hand-over", "Hand over"),
    ("/counts", "Counts"),
    ("/tables", "Tables"),
)
"""The pages in the order of the work."""


@cache
def _style() -> str:
    return files("kanon_sql.studio.pages").joinpath("studio.css").read_text(encoding="utf-8")


@contextmanager
def page(session: Session, path: str, title: str) -> Iterator[None]:
    """Give the frame of a page; its content goes into the main part."""
    ui.add_css(_style())
    ui.query("html").props("lang=en")
    ui.page_title(f"{title} - kanon studio")
    with ui.header(), ui.element("div").classes("bar"):
        ui.link("Skip to the content", "#content").classes("skip")
        ui.label("kanon studio").classes("brand")
        with ui.element("nav").props('aria-label="Steps"'):
            for target, name in STEPS:
                link = ui.link(name, target)
                if target == path:
                    link.props('aria-current="page"')
        if session.source is not None:
            ui.label(f"{session.source.name}: {session.source.rows:,} rows").classes("muted")
    with ui.element("div").classes("content").props('id=content tabindex="-1"'):
        heading(title, 1)
        yield


async def counted(what: str, count: Callable[[], T]) -> T | None:
    """Count something in a thread of its own while the page says so; show an error in its place, and return None.

    Notes
    -----
    A page is sent first and counts then, so that a large table delays no page.
    """
    place = ui.element("div")
    with place:
        paragraph(f"{what} ...", "muted")
    try:
        await ui.context.client.connected(timeout=30)
        found = await run.io_bound(count)
    except Exception as error:
        if ui.context.client.is_deleted:
            return None
        place.clear()
        with place:
            paragraph(error_line(error), "bad")
        return None
    if ui.context.client.is_deleted:  # the user has left the page
        return None
    place.clear()
    return found


def heading(text: str, level: int = 2) -> None:
    """Show a heading."""
    with ui.element(f"h{level}"):
        ui.label(text).style("display:inline")


def paragraph(text: str, classes: str = "") -> None:
    """Show a paragraph."""
    with ui.element("p").classes(classes):
        ui.label(text).style("display:inline")


@contextmanager
def panel(title: str) -> Iterator[None]:
    """Give a framed part of a page."""
    with ui.element("section").classes("panel"):
        heading(title)
        yield


def figures(pairs: Iterable[tuple[str, str]]) -> None:
    """Show names and values."""
    with ui.element("dl").classes("figures"):
        for name, value in pairs:
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)


def rows_table(names: Sequence[str], rows: Iterable[Sequence[str | None]], caption: str) -> None:
    """Show rows as text; None is marked as suppressed or empty."""
    with ui.element("div").classes("rows").props(f'tabindex=0 role=region aria-label="{caption}"'), ui.element("table"):
        with ui.element("thead"), ui.element("tr"):
            for name in names:
                with ui.element("th").props("scope=col"):
                    ui.label(name)
        with ui.element("tbody"):
            for row in rows:
                with ui.element("tr"):
                    for value in row:
                        with ui.element("td").classes("gone" if value is None else ""):
                            ui.label("NULL" if value is None else value)


def note(words: str) -> None:
    """Show what went wrong for a few seconds."""
    ui.notify(words, type="negative", multi_line=True, timeout=8000, close_button="Close")


def tried(act: Callable[[], Any]) -> bool:
    """Do something; show an error as a note, and return whether there was none."""
    try:
        act()
    except Exception as error:
        note(error_line(error))
        return False
    return True


async def counted_table(session: Session) -> Source | None:
    """Return the table when it is counted; else say what is wrong and return None."""
    if not needs_source(session):
        return None
    return session.source if session.ready else await counted("Counting the columns", session.counted)


def needs_source(session: Session) -> bool:
    """Return whether a table is open; else say where to open one."""
    if session.source is None:
        paragraph("No table is open yet.")
        ui.link("Open one on the Data page", "/")
    return session.source is not None
