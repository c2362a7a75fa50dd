"""The part of the page Policy with the quasi-identifiers: weights, recodings, and a preview of their labels."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import run, ui

from kanon_sql.clause import recoding_of
from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.errors import PolicyError
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.validation import fraction
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.pages.frame import note, panel, paragraph
from kanon_sql.studio.pages.guarantees import Changed
from kanon_sql.studio.preview import preview
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import Source

RECODINGS = {
    "": "Show the value or suppress the cell.",
    "DIGITS": "Show the first characters: 98***.",
    "INTERVALS (5, 10)": "Show numbers as intervals of these widths.",
    "INTERVALS (month, year)": "Show dates as months or years.",
    "CUTS (18, 65)": "Show numbers as intervals between these cuts.",
    "TOP 90": "Show numbers from the end on as one label: 90+.",
    "RANGES": "Each class shows the range of its own values.",
    "SETS": "Each class shows the set of its own values.",
    "MEANS": "Each class shows the mean of its own numbers.",
    "MEDIANS": "Each class shows the median of its own numbers or dates.",
}
"""Recodings to start from, as the clause writes them, and what they do."""


def recodings(session: Session, source: Source, changed: Changed) -> None:
    """Show a line for each quasi-identifier."""
    with panel("Quasi-identifiers"):
        paragraph("Cells of these columns may be generalized or suppressed. A heavier column loses less.", "muted")
        for qi in session.draft.policy.quasi_identifiers:
            _column(session, source, qi, changed)


def _column(session: Session, source: Source, qi: QuasiIdentifier, changed: Changed) -> None:
    spelled = "" if qi.recoding is None else recoding_of(qi.recoding)
    with ui.element("div").classes("line"):
        known = list(dict.fromkeys([*RECODINGS, spelled]))
        how = ui.select(
            {each: each or "suppress only" for each in known},
            label=f"Recoding of {qi.column}",
            value=spelled,
            with_input=True,
            new_value_mode="add-unique",
        ).classes("grow")
        weight = ui.number("Weight", value=float(qi.weight), min=0).style("width:6rem")

        def act() -> Draft:
            if weight.value is None:
                raise PolicyError("the weight is empty; hint: a number above 0")
            heavy = fraction(weight.value, "the weight")
            return session.draft.with_column(qi.column, weight=heavy, recoding=how.value or "")

        how.on_value_change(lambda: changed(act))
        weight.on("change", lambda: changed(act))
        shown = ui.button("Labels").props("flat")
        shown.props["aria-label"] = f"Labels of {qi.column}"
        ui.link("Groups", f"/hierarchy?column={quote(qi.column)}").props["aria-label"] = f"Groups of {qi.column}"
    preview_of_labels = ui.element("div")

    async def labels() -> None:
        preview_of_labels.clear()
        try:
            found = [] if qi.recoding is None else await run.io_bound(preview, source, qi.column, qi.recoding)
        except Exception as error:
            note(error_line(error))
            return
        with preview_of_labels:
            if not found:
                paragraph(RECODINGS.get(spelled, "The labels depend on the classes of the release."), "muted")
            for name, some in found or ():
                paragraph(f"{name}: {', '.join(some)}")

    shown.on_click(labels)
