"""The tabs Columns, Groups and Sizes: where the loss is, and how large the classes are."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from kanon_sql.engines.duckdb.connect.error_line import error_line
from kanon_sql.model.how_many import how_many
from kanon_sql.report.columns import Column
from kanon_sql.report.measured import Measured
from kanon_sql.report.sensitive import Sensitive
from kanon_sql.studio.look import Group, counted_exactly, suppressed_by
from kanon_sql.studio.pages.charts import bars
from kanon_sql.studio.pages.frame import heading, note, paragraph, rows_table
from kanon_sql.studio.plain_verdict import share
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import K, Source

_COLUMNS = ("column", "suppressed cells", "share", "generalized cells", "values before", "values after")

_SIZES = ("rows that are alike", "rows of the source", "rows of the release")

_VALUES = ("value", "rows of the source", "rows of the release")


def show_columns(facts: Measured) -> None:
    """Show what each column has lost, and the values of one of them."""
    if not facts.columns:
        paragraph("No column is protected.")
        return
    rows = [
        (
            each.name,
            f"{each.suppressed:,}",
            share(each.suppressed / facts.rows if facts.rows else None),
            f"{each.coarsened:,}",
            *(f"{number:,}" for number in each.distinct),
        )
        for each in facts.columns
    ]
    rows_table(_COLUMNS, rows, "Loss by column", numbers=_COLUMNS[1:])
    heading("Values before and after")
    by_name = {each.name: each for each in facts.columns}

    @ui.refreshable
    def values(column: Column) -> None:
        if column.bars:
            bars(
                f"Rows by value of {column.name}, before and after",
                [bar.label for bar in column.bars],
                [("source", [bar.before for bar in column.bars]), ("release", [bar.after for bar in column.bars])],
            )
        paragraph(f"Values of fewer than {facts.least} released rows are counted together.", "muted")
        with ui.expansion("The same as a table").classes("fold"):
            counted = [(bar.label, *("" if n is None else f"{n:,}" for n in (bar.before, bar.after))) for bar in column.bars]
            rows_table(_VALUES, counted, "Values before and after", numbers=_VALUES[1:])

    ui.select(
        list(by_name), label="Column", value=facts.columns[0].name, on_change=lambda event: values.refresh(by_name[event.value])
    ).classes("full")
    values(facts.columns[0])


def show_groups(source: Source, run: Run, facts: Measured) -> None:
    """Show who loses most: the suppressed share of the rows of each value of a column."""
    names = [name for name in run.release[1].column_names if name not in run.draft.pseudonyms]
    if not names:
        paragraph("No released column has values to group by.")
        return
    counted = "rows" if run.draft.policy.people is None else "people"

    @ui.refreshable
    def shares(name: str, found: list[Group] | None) -> None:
        if found is None:
            paragraph("Counting ...", "muted")
            return
        if not found:
            paragraph(f"No value of {name} has {K} {counted}.")
            return
        labels = [f"{each.value} ({each.rows:,})" for each in found]
        heading(f"Suppressed cells in percent, by {name}")
        bars(f"Suppressed cells in percent, by {name}", labels, [("%", [round(100 * each.suppressed, 1) for each in found])])
        about = "" if counted_exactly(facts, name) else "about "
        heads = (name, "rows of the source", "suppressed cells")
        rows = [(each.value, f"{each.rows:,}", f"{about}{each.suppressed:.1%}") for each in found]
        rows_table(heads, rows, "Suppressed share of each group", numbers=heads[1:])
        paragraph(f"The most frequent values that at least {K} {counted} have.", "muted")
        if about:
            paragraph(
                "About: the release does not show to which group a suppressed cell belonged, or which cells were empty before. "
                "Such cells count in shares.",
                "muted",
            )

    async def count() -> None:
        shares.refresh(chosen.value, None)
        try:
            found = await threads.io_bound(suppressed_by, source, run, chosen.value)
        except Exception as error:
            note(error_line(error))
            found = []
        shares.refresh(chosen.value, found or [])

    sensitive = [name for name in run.draft.policy.sensitive if name in names]
    chosen = ui.select(names, label="Rows by", value=(sensitive or names)[0], on_change=count).classes("full")
    shares(chosen.value, None)
    ui.timer(0, count, once=True)


def show_sizes(facts: Measured) -> None:
    """Show how many rows are alike, which columns are suppressed together, and how far sensitive values are spread."""
    heading("Rows by how many rows are alike")
    bars(
        "Rows by how many rows are alike, in source and release",
        [each.label for each in facts.class_sizes],
        [("source", [each.before for each in facts.class_sizes]), ("release", [each.after for each in facts.class_sizes])],
    )
    sizes = [(each.label, f"{each.before or 0:,}", f"{each.after:,}") for each in facts.class_sizes]
    rows_table(_SIZES, sizes, "Rows by how many rows are alike", numbers=_SIZES[1:])
    if facts.masks:
        heading("Columns suppressed together")
        masks = [(", ".join(mask.hidden) or "none", f"{mask.rows:,}") for mask in facts.masks]
        if facts.other_masks is not None:
            masks.append(("others", f"{facts.other_masks.rows:,}"))
        rows_table(("columns", "rows"), masks, "Columns suppressed together", numbers=("rows",))
    for each in facts.sensitive:
        _sensitive(each)


def _sensitive(each: Sensitive) -> None:
    heading(f"Sensitive column {each.name}")
    rows_table(("figure", "value"), each.figures, f"Figures of {each.name}", numbers=("value",))
    if each.distances:
        rows = how_many(sum(bar.after for bar in each.distances), "row")
        paragraph(f"Rows by the distance of {each.name} in their class from the whole table")
        bars(
            f"Rows by the distance of {each.name} in their class from the whole table",
            [bar.label for bar in each.distances],
            [("rows", [bar.after for bar in each.distances])],
        )
        paragraph(
            f"All {rows}. The distance is 0 if the values of the class are spread as in the whole table, and 1 if they share "
            "none.",
            "muted",
        )
