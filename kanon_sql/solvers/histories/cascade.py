"""Suppress cells until any known rows are those of k people: in each round, people who fall short hide a cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Moment, Progress, silent
from kanon_sql.solvers.histories.known_sets import Support, known_sets
from kanon_sql.table.arrays import Int64
from kanon_sql.table.history_table import Bools, HistoryTable, Shown

_Floats = NDArray[np.float64]

_ENOUGH = 8
"""People beyond k times this many make a cell no better: larger classes are not needed."""


def cascade(table: HistoryTable, k: int, m: int, support: Support, report: Progress = silent) -> Shown:
    """Return a release in which any 1 to m linked rows of a person are those of at least k people, and so are all others.

    Notes
    -----
    People with the same rows do the same, so nothing depends on their order. It ends, because each round hides a cell or
    unlinks a row.
    """
    shown = Shown.everything(table)
    most = 0
    while True:
        shown = _without_empty(table, shown)
        small = [each.rows[each.people < k] for each in known_sets(table, shown, m)]
        found = sum(map(len, small))
        if not found:
            unlinked = _with_company(table, shown, k)
            if unlinked is None:
                return shown
            shown = unlinked
            continue
        most = max(most, found)
        report(Moment(step="suppressing cells of histories", done=1 - found / most))
        share = np.zeros(len(table.person), np.int64)
        for rows in small:
            np.add.at(share, rows.ravel(), 1)
        shown = _hidden(table, shown, share, k, support)


def _without_empty(table: HistoryTable, shown: Shown) -> Shown:
    """Return the same without links to rows that show no quasi-identifier."""
    own, facts = shown.cells(table)
    return Shown(own=shown.own, facts=shown.facts, linked=shown.linked & (own.any(axis=1) | facts.any(axis=1)))


def _with_company(table: HistoryTable, shown: Shown, k: int) -> Shown | None:
    """Return the same with more unlinked rows, if there are some of fewer than k people; else None.

    Notes
    -----
    A row without a token shows only the columns that are released unchanged. Whoever knows that it is missing elsewhere would
    find it, if it had no company. Of each further person, the row that shows least goes.
    """
    alone = np.unique(table.person[~shown.linked])
    if not 0 < len(alone) < k:
        return None
    own, facts = shown.cells(table)
    cells = own.sum(axis=1) + facts.sum(axis=1)
    rows = np.flatnonzero(~np.isin(table.person, alone))
    order = rows[np.lexsort((rows, cells[rows]))]
    first = np.sort(np.unique(table.person[order], return_index=True)[1])
    linked = shown.linked.copy()
    linked[order[first[: k - len(alone)]]] = False
    return Shown(own=shown.own, facts=shown.facts, linked=linked)


@dataclass(slots=True)
class _Best:
    """For each person the best cell so far: its gain, its row (-1: all of them) and its column (-1: the link)."""

    gain: _Floats
    row: Int64
    column: Int64

    def offer(self, person: Int64, gain: _Floats, row: Int64, column: int) -> None:
        """Take greater gains; of several rows of a person the one of greatest gain, the first of equal ones."""
        order = np.lexsort((row, -gain, person))
        order = order[np.append(True, person[order][1:] != person[order][:-1])] if len(order) else order
        order = order[gain[order] > self.gain[person[order]]]
        self.gain[person[order]], self.row[person[order]], self.column[person[order]] = gain[order], row[order], column


def _hidden(table: HistoryTable, shown: Shown, share: Int64, k: int, support: Support) -> Shown:
    """Return the same after each person with a share in a small set hides the cell that leads to most people for its cost."""
    own, facts = shown.cells(table)
    mask = _bits(np.hstack([own, facts]))
    width = own.shape[1]
    best = _Best(np.full(table.people, -1.0), np.full(table.people, -1), np.full(table.people, -1))
    rows = np.flatnonzero(share)
    total = np.bincount(table.person, share, table.people)
    cost = np.bincount(table.person, shown.linked, table.people)
    for column in range(width + facts.shape[1]):
        visible = rows[mask[rows] >> column & 1 == 1]
        people = np.minimum(_people(support, mask, visible, column), _ENOUGH * k) + (column / 1000)
        if column >= width:
            best.offer(table.person[visible], people * share[visible], visible, column)
            continue
        fewest = np.full(table.people, np.inf)
        np.minimum.at(fewest, table.person[visible], people)
        finite = np.flatnonzero(np.isfinite(fewest))
        best.offer(finite, fewest[finite] * total[finite] / cost[finite], np.full(len(finite), -1), column)
    bare = rows[~facts[rows].any(axis=1)]
    best.offer(table.person[bare], np.zeros(len(bare)), bare, -1)  # the link of a row is what is hidden last
    new_own, new_facts, linked = shown.own.copy(), shown.facts.copy(), shown.linked.copy()
    chosen = np.flatnonzero(best.gain >= 0)
    of_person = chosen[best.row[chosen] < 0]
    new_own[of_person, best.column[of_person]] = False
    of_row = chosen[(best.row[chosen] >= 0) & (best.column[chosen] >= 0)]
    new_facts[best.row[of_row], best.column[of_row] - width] = False
    linked[best.row[chosen[best.column[chosen] < 0]]] = False
    return Shown(own=new_own, facts=new_facts, linked=linked)


def _people(support: Support, mask: Int64, rows: Int64, column: int) -> Int64:
    """Return for each row the people who could show the same without a column."""
    found = np.zeros(len(rows), np.int64)
    for chosen, places in _groups(mask[rows] & ~(1 << column)):
        found[places] = support.of(chosen)[rows[places]]
    return found


def _groups(masks: Int64) -> Iterator[tuple[int, Int64]]:
    for chosen in np.unique(masks):
        yield int(chosen), np.flatnonzero(masks == chosen)


def _bits(cells: Bools) -> Int64:
    """Return which columns each row shows, as bits."""
    found: Int64 = cells.astype(np.int64) @ (1 << np.arange(cells.shape[1], dtype=np.int64))
    return found
