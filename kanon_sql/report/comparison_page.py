"""The page that shows releases of one table side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_sql.model.printable import printable
from kanon_sql.report import charts
from kanon_sql.report.figure_rows import FIGURES, figure_rows, percent
from kanon_sql.report.page import render

if TYPE_CHECKING:
    from kanon_sql.report.usefulness import Usefulness


def comparison_page(
    releases: Sequence[Usefulness], advice: str, settings: Sequence[tuple[str, str]], unsettled: str | None
) -> str:
    """Return the page about releases, which of them to take, what was compared, and why people may not have been counted."""
    names = [printable(each.name) for each in releases]
    shown = [(name, [of(each) for each in releases]) for name, of in FIGURES]
    shown.append(("median error of queries", [None if each.answers is None else each.answers.median for each in releases]))
    for place, group in enumerate(releases[0].groups):
        shown.append((f"most loss by {printable(group.column)}", [each.groups[place].worst for each in releases]))
    shown.append(("accuracy of the classifier", [each.kept_accuracy for each in releases]))
    return render(
        "comparison.html.j2",
        advice=advice,
        unsettled=unsettled,
        heads=("figure", *names),
        rows=figure_rows(releases),
        plots=[(name, _plot(name, names, values)) for name, values in shown if any(each is not None for each in values)],
        queries=_queries(releases, names),
        settings=list(settings),
    )


def _plot(name: str, names: Sequence[str], values: Sequence[float | None]) -> str:
    return charts.bars(f"{name} by release", names, [(charts.AFTER, values)], along="release", of=name)


def _queries(releases: Sequence[Usefulness], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a row for each query and release."""
    return [
        (
            f"query {query.number}",
            name,
            percent(query.median),
            percent(query.most),
            f"{query.lost:,} of {query.groups:,}",
            f"{query.added:,}",
        )
        for place in range(len(releases[0].queries))
        for name, each in zip(names, releases, strict=True)
        for query in (each.queries[place],)
    ]
