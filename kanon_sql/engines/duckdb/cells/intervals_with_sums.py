"""Counts and sums of a published table that are attacked together: a group without people has a sum of 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kanon_sql.engines.duckdb.cells.published_rows import PublishedRows
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.intervals import Interval, intervals
from kanon_sql.table.cell_table import Bools, PublishedCells


def intervals_with_sums(counts: PublishedRows, sums: Sequence[PublishedRows], budget: Budget) -> dict[int, Interval]:
    """Return which counts of each suppressed row agree with all that is published.

    Parameters
    ----------
    counts, sums
        The same rows, with their counts and with each of the sums.

    Raises
    ------
    SourceError
        As `intervals`.

    Notes
    -----
    A row whose sum is above 0 has a person, and the sum of a row without people is 0. Both are used until nothing more follows.
    A program over counts and sums together could find more.
    """
    places = {keys: row for row, keys in enumerate(counts.keys)}
    same = [np.array([places[keys] for keys in each.keys], np.int64) for each in sums]
    cells, added = counts.cells, [each.cells for each in sums]
    found = intervals(cells, budget)
    while sums:
        least = cells.least.copy()
        for each, rows in zip(added, same, strict=True):
            some = rows[_people(each, budget) & cells.hidden[rows]]
            least[some] = np.maximum(least[some], counts.unit)
        if (least == cells.least).all():
            break
        cells = replace(cells, least=least)
        found = intervals(cells, budget)
        none = np.array([row in found and found[row][1] == 0 for row in range(len(cells.value))], np.bool_)
        added = [replace(each, hidden=each.hidden & ~none[rows]) for each, rows in zip(added, same, strict=True)]
    return found


def _people(sums: PublishedCells, budget: Budget) -> Bools:
    """Return the rows whose sum is above 0."""
    found = intervals(sums, budget)
    low = np.where(sums.hidden, 0, sums.value)
    for row, (lower, _) in found.items():
        low[row] = lower
    some: Bools = low > 0
    return some
