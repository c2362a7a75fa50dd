"""The tab Attacker: how many people someone finds by what they know, and what they learn about them."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.studio.look import Learned, attacker, learned, open_columns
from kanon_sql.studio.pages.frame import note, paragraph, rows_table
from kanon_sql.studio.plain_verdict import protected_columns
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import Source

_HEADS = (
    "column",
    "largest share of one value",
    "rows alike there",
    "right guesses",
    "right guesses without knowledge",
    "rows known for sure",
)

_LISTED = 20
"""Columns that are shown."""


def show_attacker(source: Source, run: Run) -> None:
    """Show what an attacker finds, by columns that the page asks for."""
    names = protected_columns(run.release[0])
    per_row = run.draft.policy.per_row
    chosen = ui.select(names, label="The attacker knows", value=names[:3], multiple=True).classes("full").props("use-chips")
    said = ui.label("Counting ...").props("role=status")
    place = ui.element("div")

    async def count() -> None:
        known = list(chosen.value or [])
        if not known:
            said.set_text("Choose what the attacker knows.")
            place.clear()
            return
        try:
            fewest = await threads.io_bound(attacker, source, run, known)
            found = await threads.io_bound(learned, run, known, open_columns(run)[:_LISTED])
        except Exception as error:
            note(error_line(error))
            return
        if fewest is None or found is None:  # the studio ends
            return
        before, after, people = fewest
        said.set_text(finds(known, before, after, people=people or per_row))
        place.clear()
        with place:
            _learned(found)

    chosen.on_value_change(count)
    ui.timer(0, count, once=True)


def finds(known: list[str], before: int, after: int, *, people: bool) -> str:
    """Return in a sentence how many people, or rows, an attacker finds."""
    words = [printable(name) for name in known]
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    one, many = ("person", "people") if people else ("row", "rows")
    return (
        f"Someone who knows {listed} of a person finds at least {how_many(after, one, many)}. In the source, it was {before:,}."
    )


def _learned(found: list[Learned]) -> None:
    if not found:
        paragraph("The release has no other columns that this attacker could learn.", "muted")
        return
    paragraph(
        "What they learn about these people: rows that are alike may still show the same value of another column. "
        "The guess is the most frequent value among rows that are alike.",
        "muted",
    )
    rows = [
        (each.column, f"{each.largest:.1%}", f"{each.rows:,}", f"{each.guessed:.1%}", f"{each.before:.1%}", f"{each.certain:,}")
        for each in found
    ]
    rows_table(_HEADS, rows, "What the attacker learns", numbers=_HEADS[1:])
