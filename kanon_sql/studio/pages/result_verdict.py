"""The verdict about a release, its figures, and how the search went, on the page Result."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kanon_sql.report.claims import other_fields
from kanon_sql.report.first_screen import first_screen
from kanon_sql.report.measured import Measured
from kanon_sql.studio.curve import curve
from kanon_sql.studio.pages.charts import search_curve
from kanon_sql.studio.pages.frame import figures, paragraph
from kanon_sql.studio.pages.remedies import message
from kanon_sql.studio.plain_verdict import COLOURS, empty_before, guarantee_of, messages, sentences, tiles, verdict_of
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session

_WORDS = {"good": "Good", "warn": "Caution", "bad": "Do not hand out"}
"""What a colour says, for those who do not see it."""

_UNREAD = ("warning", "SHA-256")
"""Fields that are shown elsewhere, or nobody reads."""


def show_verdict(session: Session, run: Run, facts: Measured, changed: Callable[[], None]) -> None:
    """Show whether the release may be handed out, with the warnings and the figures."""
    certificate, _ = run.release
    colour = COLOURS[verdict_of(certificate, facts).colour]
    with ui.element("div").classes(f"verdict {colour}").props('role=status data-part="verdict"'), ui.element("div"):
        ui.label(f"{_WORDS[colour]}:").classes("hidden")
        for each in sentences(certificate, facts):
            ui.label(each)
        if run.finished:
            ui.label("The search was stopped early: a longer one may lose less.").classes("muted")
    for each in messages(certificate, facts):
        message(session, each, "warn", changed, after=run.draft)
    with ui.element("div").classes("tiles"):
        for tile in tiles(certificate, facts):
            with ui.element("div").classes("tile"):
                ui.label(tile.value).classes("value")
                ui.label(tile.name).classes("name")
    why = empty_before(certificate, facts)
    if why is not None:
        paragraph(why, "muted")


def show_details(run: Run, facts: Measured) -> None:
    """Show what a data-protection officer reads, and how the search went, folded."""
    certificate, _ = run.release
    with ui.expansion("For the data protection officer").classes("fold"):
        figures((name, "\n".join(lines)) for name, lines in first_screen(facts, None, certified=True))
    with ui.expansion("How the search went").classes("fold"):
        told = [(name, value) for name, value in other_fields(certificate) if name not in _UNREAD]
        figures([("guarantee", guarantee_of(certificate)), *told])
        search_curve(curve(run))
