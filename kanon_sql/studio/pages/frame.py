"""What all pages share: the steps at the side, the bar below, headings, panels, and messages that stay until they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from nicegui import run, ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import ASIDE, HAND_OVER, STATES, STEPS, before, behind

T = TypeVar("T")

_MESSAGES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""Where each open page shows messages."""


@cache
def _style() -> str:
    return files("kanon_sql.studio.pages").joinpath("studio.css").read_text(encoding="utf-8")


def look_of_elements() -> None:
    """Give Quasar's fields and buttons the look of the studio."""
    for each in (ui.input, ui.select, ui.number, ui.textarea):
        each.default_props("outlined dense")
    ui.button.default_props("no-caps unelevated")


@contextmanager
def page(
    session: Session,
    path: str,
    title: str,
    lead: str = "",
    *,
    sql: Callable[[], str] | None = None,
    act: tuple[str, Callable[[], Any]] | None = None,
) -> Iterator[Page]:
    """Give the frame of a page; its content goes into the main part.

    Parameters
    ----------
    path : str
        The step that the page belongs to.
    title, lead : str
        The heading, and a sentence below it.
    sql : callable, optional
        Returns the statement that the page stands for; it is shown folded, and again after `Page.changed`.
    act : (str, callable), optional
        The words of the main button and what it does; without it, the button leads to the next step.
    """
    ui.add_css(_style())
    ui.query("html").props("lang=en")
    ui.page_title(f"{title} - kanon studio")
    ui.link("Skip to the content", "#content").classes("skip")
    with ui.element("div").classes("shell"):
        _side(session, path)
        with ui.element("div").classes("main"):
            with ui.element("div").classes("content").props('id=content tabindex="-1"'):
                heading(title, 1)
                if lead:
                    paragraph(lead, "lead")
                _MESSAGES[ui.context.client] = ui.element("div").classes("messages").props('role=alert aria-live="assertive"')
                shown = Page(session, sql)
                yield shown
                if sql is not None and session.source is not None:
                    shown.show_sql()
            _bar(session, path, act)


class Page:
    """A page that is shown."""

    def __init__(self, session: Session, sql: Callable[[], str] | None) -> None:
        self._session, self._sql = session, sql
        self._unfolded = False

    def changed(self) -> None:
        """Show the statement and the steps as they are now."""
        self.show_sql.refresh()
        _steps.refresh()
        _bar.refresh()

    @ui.refreshable_method
    def show_sql(self) -> None:
        """Show the statement of the page, folded."""
        if self._sql is None:
            return
        try:
            text = self._sql()
        except Exception as error:
            text = f"-- {error_line(error)}"
        sql_text(text, value=self._unfolded).on_value_change(self._folded)

    def _folded(self, event: Any) -> None:
        self._unfolded = event.value


def sql_text(text: str, title: str = "SQL of this step", *, value: bool = False) -> Any:
    """Show a text of SQL, folded at first, with a button that copies it; return the fold."""
    with ui.expansion(title, value=value).classes("fold") as fold:
        with ui.element("pre").classes("sql"):
            ui.label(text)
        ui.button("Copy", on_click=lambda: ui.clipboard.write(text)).props("flat")
    return fold


def _side(session: Session, path: str) -> None:
    with ui.element("header").classes("side"):
        with ui.element("div").classes("brand"):
            ui.label("kanon studio")
            if session.source is not None:
                ui.label(session.source.name).classes("source")
                ui.label(how_many(session.source.rows, "row")).classes("muted small")
        with ui.element("nav").props('aria-label="Steps"'):
            _steps(session, path)
        with ui.element("nav").props('aria-label="Other tables"').classes("aside"):
            for each in ASIDE:
                link = ui.link(each.name, each.path).classes("step")
                if each.path == path:
                    link.props('aria-current="page"')


@ui.refreshable
def _steps(session: Session, path: str) -> None:
    """List the steps with their states."""
    with ui.element("ol").classes("steps"):
        for number, each in enumerate(STEPS, 1):
            state = session.state_of(each.path)
            with ui.element("li"), ui.link(target=each.path).classes(f"step {state}") as link:
                ui.label("✓" if state == "done" else "!" if state == "attention" else str(number)).classes("number").props(
                    'aria-hidden="true"'
                )
                ui.label(each.name)
                ui.label(STATES[state]).classes("hidden")
            if each.path == path:
                link.props('aria-current="page"')


@ui.refreshable
def _bar(session: Session, path: str, act: tuple[str, Callable[[], Any]] | None) -> None:
    """Show where the step before and the next one are."""
    previous, following = before(path), behind(path)
    if previous is None and following is None and act is None:
        return
    with ui.element("footer").classes("bar"):
        if previous is not None:
            ui.link(f"Back: {previous.name}", previous.path).classes("back")
        ui.element("div").classes("grow")
        if act is not None:
            ui.button(act[0], on_click=act[1])
        elif following is not None:

            def forward() -> None:
                session.confirm(path)
                ui.navigate.to(following.path)

            ready = session.source is not None if following is not HAND_OVER else session.current is not None
            ui.button(f"Next: {following.name}", on_click=forward).set_enabled(ready)


async def counted(what: str, count: Callable[[], T]) -> T | None:
    """Count something in a thread of its own while the page says so; show an error in its place, and return None.

    Notes
    -----
    A page is sent first and counts then, so that a large table delays no page.
    """
    place = ui.element("div").classes("waiting").props("role=status")
    with place:
        ui.spinner(size="1.2em").props('aria-hidden="true"')
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
    place.delete()
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
def panel(title: str, lead: str = "") -> Iterator[None]:
    """Give a framed part of a page."""
    with ui.element("section").classes("panel"):
        heading(title)
        if lead:
            paragraph(lead, "muted")
        yield


def figures(pairs: Iterable[tuple[str, str]]) -> None:
    """Show names and values."""
    with ui.element("dl").classes("figures"):
        for name, value in pairs:
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)


def rows_table(
    names: Sequence[str],
    rows: Iterable[Sequence[str | None]],
    caption: str,
    *,
    numbers: Sequence[str] = (),
    empty: str = "NULL",
) -> None:
    """Show rows as text.

    Parameters
    ----------
    numbers : sequence of str
        The columns of numbers, which are aligned on the right.
    empty : str
        What stands for None, which is marked as suppressed or empty.
    """
    right = [name in numbers for name in names]
    with ui.element("div").classes("rows").props(f'tabindex=0 role=region aria-label="{caption}"'), ui.element("table"):
        with ui.element("thead"), ui.element("tr"):
            for name, number in zip(names, right, strict=True):
                with ui.element("th").props("scope=col").classes("number" if number else ""):
                    ui.label(name)
        with ui.element("tbody"):
            for row in rows:
                with ui.element("tr"):
                    for value, number in zip(row, right, strict=True):
                        with ui.element("td").classes(("gone " if value is None else "") + ("number" if number else "")):
                            ui.label(empty if value is None else value)


def note(words: str) -> None:
    """Show what went wrong until the person dismisses it."""
    place = _MESSAGES[ui.context.client]
    place.clear()
    with place, ui.element("div").classes("message bad"):
        ui.label(words)
        ui.button("Dismiss", on_click=place.clear).props("flat")


def clear_note() -> None:
    """Remove the message about what went wrong."""
    _MESSAGES[ui.context.client].clear()


def tried(act: Callable[[], Any]) -> bool:
    """Do something; show an error as a message, and return whether there was none."""
    try:
        act()
    except Exception as error:
        note(error_line(error))
        return False
    clear_note()
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
        ui.link("Open a table", "/")
    return session.source is not None
