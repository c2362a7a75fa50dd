"""The ways to choose a file: drop it, choose it, take a recent one, walk to it, or write its path."""

from __future__ import annotations

from pathlib import Path

from nicegui import events, ui

from kanon_sql.engines.duckdb.files.places import Place, readable
from kanon_sql.studio.opening import Opening
from kanon_sql.studio.pages.file_browser import FileBrowser
from kanon_sql.studio.pages.frame import note, panel, paragraph, tried
from kanon_sql.studio.reading import place_in_words
from kanon_sql.studio.session import Session
from kanon_sql.studio.uploads import destination

_PICK = "() => runMethod({id}, 'pickFiles', [])"
"""The browser opens its chooser of files only for a click that it sees itself."""


async def choosing(session: Session) -> None:
    """Show all ways."""

    def chosen(text: str) -> None:
        if text.strip():
            look_at(session, Opening(text))

    with ui.element("div").classes("columns wide-left"):
        _drop(session)
        _recent(session)
    with panel("Files on this machine"):
        await FileBrowser(_start(session), chosen).show()
        with ui.element("div").classes("line"):
            file = ui.input("Path, URL or pattern", autocomplete=readable(Path.cwd()), placeholder="data/visits-*.csv")
            file.classes("grow").on("keydown.enter", lambda: chosen(file.value))
            ui.button("Open", on_click=lambda: chosen(file.value)).props("outline")


def look_at(session: Session, opening: Opening) -> None:
    """Show a file before it is opened."""
    session.choose(opening)
    ui.navigate.to("/")


def _start(session: Session) -> Path:
    source = session.source
    return Path.cwd() if source is None or session.temporary else source.place.path.parent


def _drop(session: Session) -> None:
    """Show where a file can be dropped, and the button that chooses one."""
    status: ui.element

    async def dropped(event: events.UploadEventArguments) -> None:
        try:
            path = destination(session.folder, event.file.name)
            await event.file.save(path)
        except OSError as error:
            status.set_visibility(False)
            note(f"the file cannot be copied: {error.strerror}; hint: choose it in the list of files on this machine")
            return
        look_at(session, Opening(str(path), dropped=True))

    upload = ui.upload(auto_upload=True, on_upload=dropped, on_begin_upload=lambda: status.set_visibility(True))
    upload.on_rejected(lambda: note("only one file can be dropped; hint: put several files into a folder and write a pattern"))
    upload.classes("drop").props("flat bordered no-thumbnails max-files=1")
    with upload.add_slot("header"):
        pass
    with upload.add_slot("list"), ui.element("div").classes("inside"):
        ui.icon("upload_file", size="2em").props('aria-hidden="true"').classes("muted")
        ui.label("Drop a file here").classes("title")
        ui.button("Choose a file").on("click", js_handler=_PICK.format(id=upload.id))
        ui.label("CSV, Excel, Parquet, JSON or DuckDB").classes("muted")
        ui.label("It is copied into a private folder, which is deleted when the studio ends.").classes("muted small")
        with ui.element("div").classes("waiting").props("role=status") as status:
            ui.spinner(size="1.2em").props('aria-hidden="true"')
            ui.label("Copying the file ...")
        status.set_visibility(False)
        with ui.element("div").style("display:none"):
            ui.element("q-uploader-add-trigger")


def _recent(session: Session) -> None:
    with panel("Recent files"):
        places = session.recent.places
        if not places:
            paragraph("The files that you open are listed here.", "muted")
            return
        with ui.element("ul").classes("entries"):
            for place in places:
                _again(session, place)

        def forget() -> None:
            if tried(session.recent.forget):
                ui.navigate.to("/")

        ui.button("Forget these", on_click=forget).props("flat")


def _again(session: Session, place: Place) -> None:
    def chosen() -> None:
        look_at(session, Opening(str(place), place.dialect))

    with ui.element("li"), ui.element("button").classes("entry").props("type=button").on("click", chosen, args=[]):
        ui.icon("history").props('aria-hidden="true"')
        with ui.element("div").classes("grow"):
            ui.label(place_in_words(place))
            ui.label(str(place.path.parent)).classes("muted small")
