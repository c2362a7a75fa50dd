"""The page Open: choose a file, see how it is read, and use it."""

from __future__ import annotations

from nicegui import run, ui

from kanon_sql.studio.pages import reading
from kanon_sql.studio.pages.choosing import choosing
from kanon_sql.studio.pages.frame import figures, page, panel, paragraph, tried
from kanon_sql.studio.reading import how, in_words, place_in_words, read_by
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source
from kanon_sql.studio.steps import OPEN, PEOPLE


def build(session: Session) -> None:
    """Register the page."""

    @ui.page("/")
    async def open_table() -> None:
        async def use() -> None:
            if session.opening is not None:
                await run.io_bound(session.opening.look)  # a field may just have been changed
            if tried(session.use):
                ui.navigate.to(PEOPLE.path)

        opening, source = session.opening, session.source
        if opening is not None:
            closes = "" if source is None else f" Using it closes {source.name} and forgets its releases."
            lead = f"Check how the file is read.{closes}"
            act = None if opening.undecided else ("Use this table", use)
            with page(session, OPEN.path, "Open a table", lead, act=act):
                await reading.shown(session, opening)
            return
        sql = None if source is None else lambda: read_by(source)
        lead = "Choose the file with the rows to protect. Nothing leaves this machine."
        with page(session, OPEN.path, "Open a table", lead, sql=sql):
            if source is None:
                await choosing(session)
            else:
                _opened(session, source)


def _opened(session: Session, source: Source) -> None:
    """Show the open table, and a way to another one."""
    with panel("This table is open"):
        where = "a private copy" if session.temporary else str(source.place.path.parent)
        figures(
            [
                ("Table", source.name),
                ("File", place_in_words(source.place)),
                ("Folder", where),
                ("Rows", f"{source.rows:,}"),
                ("Read as", how(source)),
            ]
        )
        for remark in source.remarks:
            if not remark.startswith("read as: "):
                paragraph(in_words(remark), "warn")

    async def other() -> None:
        button.delete()
        with place:
            await choosing(session)

    place = ui.element("div").classes("full")
    with place:
        button = ui.button("Open another", on_click=other).props("outline")
