"""The figures of releases side by side, as rows of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kanon_sql.model.printable import printable

if TYPE_CHECKING:
    from kanon_sql.report.usefulness import Usefulness

FIGURES: tuple[tuple[str, Callable[[Usefulness], float | None]], ...] = (
    ("highest risk", lambda each: each.risk),
    ("risk of the average row", lambda each: each.average_risk),
    ("mean loss of a cell", lambda each: each.loss),
    ("suppressed cells", lambda each: each.suppressed),
    ("gap to the lower bound", lambda each: each.bound),
    ("distance of marginals", lambda each: each.marginals),
    ("correlation drift", lambda each: each.correlations),
)
"""The figures of every release that are shares."""


def figure_rows(releases: Sequence[Usefulness]) -> list[tuple[str, ...]]:
    """Return the figures as rows of text: a name, and a cell for each release; those that no release has are left out."""
    rows = [("smallest class", *(each.smallest for each in releases))]
    rows += [(name, *(percent(of(each)) for each in releases)) for name, of in FIGURES]
    answers = [each.answers for each in releases]
    rows += [
        ("median error of queries", *("-" if each is None else percent(each.median) for each in answers)),
        ("error of 95 % of the values", *("-" if each is None else percent(each.most) for each in answers)),
        ("lost groups", *("-" if each is None else f"{each.lost:,} of {each.groups:,}" for each in answers)),
    ]
    for place, group in enumerate(releases[0].groups):
        rows.append((f"most loss by {printable(group.column)}", *(percent(each.groups[place].worst) for each in releases)))
        rows.append((f"least loss by {printable(group.column)}", *(percent(each.groups[place].least) for each in releases)))
    rows += [
        ("accuracy of the classifier", *(percent(each.kept_accuracy) for each in releases)),
        ("its accuracy when trained on the source", *(percent(each.accuracy) for each in releases)),
        ("largest class", *(percent(each.baseline) for each in releases)),
    ]
    return [row for row in rows if set(row[1:]) != {"-"}]


def percent(value: float | None) -> str:
    """Return a share in percent."""
    return "-" if value is None else f"{value:.2%}"
