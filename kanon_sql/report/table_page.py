"""The page about a table of counts: for those who answer for it and those who read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_sql.model.how_many import how_many
from kanon_sql.model.printable import printable
from kanon_sql.model.protection import coalition_in_words
from kanon_sql.report import charts
from kanon_sql.report.columns import MAX_BARS
from kanon_sql.report.page import About, count, render, share
from kanon_sql.report.table_figures import (
    GroupingSet,
    TableFigures,
    options_in_words,
    requirements_in_words,
    table_figures,
)

if TYPE_CHECKING:
    from kanon_sql.verification.cells.protected_files import VerifiedTable


def table_page(table: VerifiedTable, origins: Sequence[tuple[str, str]], about: About) -> str:
    """Return the page about a table whose claims hold.

    Parameters
    ----------
    origins : sequence of (str, str)
        By what the released table is recognized, and what made the page.
    about : About
        What the page is headed by.

    Notes
    -----
    It may be published with the table, so it holds no figure of the source. It holds no hash of the source either: guesses of
    suppressed counts could be tried against it.
    """
    figures, protection = table_figures(table), table.protection
    return render(
        "table.html.j2",
        about=about,
        summary=_summary(figures),
        requirements=[tuple(map(printable, each)) for each in requirements_in_words(table)],
        options=[tuple(map(printable, each)) for each in options_in_words(table)],
        heads=_heads(figures),
        rows=[_row(each, figures) for each in figures.sets],
        plot=_plot(figures),
        minimum=_minimum(figures, table),
        tables=table.tables,
        k=protection.k,
        absent=protection.rows == "absent",
        rules=bool(protection.rules),
        sums=any(each.kind == "sum" for each in table.tabulation.items),
        coalition=coalition_in_words(protection.contributors) if protection.contributors else "",
        origins=[(printable(name), value) for name, value in origins],
    )


def _summary(figures: TableFigures) -> str:
    if figures.suppressed is None:
        return f"A table of counts with {how_many(figures.shown, 'row')}. Suppressed rows are left out."
    rows = figures.shown + figures.suppressed
    suppressed_rows = f"{figures.suppressed:,} ({share(figures.suppressed, rows)})" if figures.suppressed else "none"
    return f"A table of counts with {how_many(rows, 'row')}: {figures.shown:,} are shown, and {suppressed_rows} suppressed."


def _heads(figures: TableFigures) -> tuple[str, ...]:
    of_rows = ("rows shown",) if figures.suppressed is None else ("rows", "shown", "suppressed", "share suppressed")
    counted = any(each.people is not None for each in figures.sets)
    return ("grouping set", *of_rows, *(("people in rows shown", "share of people") if counted else ()))


def _row(each: GroupingSet, figures: TableFigures) -> tuple[str, ...]:
    if each.suppressed is None:
        of_rows: tuple[str, ...] = (count(each.shown),)
    else:
        rows = each.shown + each.suppressed
        of_rows = (count(rows), count(each.shown), count(each.suppressed), share(each.suppressed, rows))
    people = () if each.people is None else (count(each.people), share(each.people, figures.total) if figures.total else "-")
    return (printable(each.name), *of_rows, *people)


def _plot(figures: TableFigures) -> str | None:
    """Return the suppressed rows of the grouping sets, if there is something to see."""
    if not figures.suppressed or not 1 < len(figures.sets) <= MAX_BARS:
        return None
    shares = [each.suppressed / max(1, each.shown + each.suppressed) for each in figures.sets if each.suppressed is not None]
    names, title = [printable(each.name) for each in figures.sets], "Suppressed rows by grouping set"
    return charts.bars(title, names, [(charts.AFTER, shares)], along="grouping set", of="share of the rows", wide=True)


def _minimum(figures: TableFigures, table: VerifiedTable) -> str:
    by_counts, again = table.protection.cost == "n", table.bound >= table.claimed.lower_bound
    what = "the people in rows that are suppressed to protect others" if by_counts else "the cost of rows that protect others"
    other, saves = (
        ("A table that is as safe", "No table that is as safe suppresses")
        if table.tables == 1
        else (
            f"{table.tables} tables that are as safe together",
            f"No {table.tables} tables that are as safe together suppress",
        )
    )
    proof = "The proof was checked again for this page." if again else "A search proved it, which this page did not repeat."
    if not figures.gap:
        return f"{saves} less, measured by {what}. {proof}"
    return f"{other} could save at most {float(figures.gap):.0%} of {what}; the share is rounded up. {proof}"
