"""Of how many people each class of a release has rows, counted in the source: at least and at most.

The release does not tell whose a row is, and no key leads from one table to the other. A row of a class comes from a source row
with the same other columns, whose values its labels may stand for. Where that leaves no choice, the two figures are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kanon_sql.model.how_many import how_many
from kanon_sql.table.arrays import Int64
from kanon_sql.verification.origins import Shelf
from kanon_sql.verification.shown_cells import Cells

Covers = Callable[[int], Int64 | None]
"""The values that a label of a column may stand for; None where nothing is known of it, or it looks suppressed."""


def fewest_people(cells: Cells, covers: Sequence[Covers]) -> tuple[int, int] | None:
    """Return of how many people the class with the fewest people has rows, at least and at most.

    Parameters
    ----------
    cells : Cells
        Both tables; it is known whose each source row is.
    covers : sequence of Covers [m]
        What the labels of each quasi-identifier may stand for.

    Returns
    -------
    tuple of (int, int), optional
        None without rows, and where rows of the release come from no row of the source.

    Notes
    -----
    Of somebody no more rows are in a class than fit it, nor than the class has of those other columns. So a class has rows of
    as many people at least as are needed to fill it, those with most rows first, and of all people of whom some row fits at
    most. O(m f log f) for each class, f the rows that fit the rarest of its labels.
    """
    source, released = cells.source, cells.released
    if not len(released.rest):
        return None
    shelf = Shelf.of(source)
    combinations, combination = np.unique(released.codes, axis=0, return_inverse=True)
    order = np.argsort(combination, kind="stable")
    own = np.split(order, np.searchsorted(combination[order], np.arange(1, len(combinations))))
    wanted = np.zeros(1 + max(int(source.rest.max(initial=0)), int(released.rest.max(initial=0))), np.int64)
    found: list[tuple[int, int]] = []
    for labels, rows in zip(combinations.tolist(), own, strict=True):
        shown = {c: values for c, label in enumerate(labels) if (values := covers[c](label)) is not None}
        wanted[released.rest[rows]] = released.count[rows]
        fit = shelf.within(shown)
        nobody, people = _most_rows(cells, fit[wanted[source.rest[fit]] > 0], wanted)
        wanted[released.rest[rows]] = 0
        filled = np.append(0, np.cumsum(-np.sort(-people)))
        needed = int(released.count[rows].sum()) - nobody
        if filled[-1] < needed:
            return None
        found.append((int(np.searchsorted(filled, needed)), len(people)))
    least, most = zip(*found, strict=True)
    return min(least), min(most)


def _most_rows(cells: Cells, fit: Int64, wanted: Int64) -> tuple[int, Int64]:
    """Return how many rows a class may have of nobody, and of each of the people of whom some row fits."""
    source = cells.source
    people = int(cells.person.max(initial=0)) + 2
    pair, place = np.unique(source.rest[fit] * people + cells.person[fit] + 1, return_inverse=True)
    rows = np.bincount(place, source.count[fit], len(pair)).astype(np.int64)
    _, place = np.unique(pair % people, return_inverse=True)
    most = np.bincount(place, np.minimum(rows, wanted[pair // people])).astype(np.int64)
    anonymous = int(len(pair) > 0 and bool((pair % people == 0).any()))
    return int(most[:anonymous].sum()), most[anonymous:]


def people_text(found: tuple[int, int], *, by_tokens: bool = False) -> str:
    """Return what `fewest_people` found, in words, or what tokens show."""
    least, most = found
    if by_tokens:
        return f"the class with the fewest people has rows from {least:,} people, counted by tokens"
    if least == most:
        return f"the class with the fewest people has rows from {how_many(least, 'person', 'people')}, counted in the source"
    return (
        f"the class with the fewest people has rows from {least:,} to {most:,} people, by the rows of the source that may "
        "belong to it"
    )
