"""Greedy: each primary row gets the cheapest witness, then secondary rows are published again one by one.

References
----------
Kelly, Golden and Assad: Cell Suppression: Disclosure Protection for Sensitive Tabular Data (1992), for the idea of clean-up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.kernels.cells.boxes import BoxSearch
from kanon_sql.kernels.cells.search_space import CellSpace
from kanon_sql.kernels.cells.witnesses import WitnessPool, find, users
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.search_space import cell_space
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools, CellTable, Witnesses

_STEPS, _FREE_STEPS = 20_000, 4_000
"""Steps of the search for one box, where it may suppress rows and where it may not."""

_SECONDARY = 2
"""Mark of a secondary row in the search space."""


@dataclass(slots=True)
class State:
    """A table whose primary rows have witnesses."""

    table: CellTable
    space: CellSpace
    searches: list[BoxSearch]
    pool: WitnessPool
    measure: Int32
    with_fixed: Bools

    def find(self, witness: int, *, free: bool) -> bool:
        """Find a witness; return whether there is one."""
        search = self.searches[self.measure[witness]]
        search.with_fixed = bool(self.with_fixed[witness])
        return bool(find(self.space, search, self.pool, witness, free, _FREE_STEPS if free else _STEPS))

    @property
    def suppressed(self) -> Bools:
        """Return which rows are suppressed."""
        return np.asarray(self.space.suppressed) > 0


def greedy(table: CellTable, budget: Budget) -> tuple[Bools, Witnesses]:
    """Return suppressed rows and witnesses.

    Raises
    ------
    InfeasibleError
        When a primary row has no witness, even if every row is suppressed that may be.
    """
    state = started(table)
    count = len(state.measure)
    missing = [witness for witness in range(count) if not state.find(witness, free=True)]
    for done, witness in enumerate(missing):
        if done % 64 == 0:
            budget.report("witnesses", done / len(missing))
        if not state.find(witness, free=False):
            raise InfeasibleError(
                "a row that has to be suppressed cannot be protected: its value follows from rows that have to be shown; "
                "hint: show fewer grouping sets"
            )
    publish(state, budget)
    return state.suppressed, collected(state)


def started(table: CellTable) -> State:
    """Return the search space of a table, without witnesses."""
    space = cell_space(table)
    rows, measures, needs = [], [], []
    searches = []
    for number, measure in enumerate(table.measures):
        value = table.values(number)
        own = np.flatnonzero(measure.required > value)
        rows.append(own)
        measures.append(np.full(len(own), number))
        needs.append(measure.required[own] - value[own])
        base = np.ascontiguousarray(measure.value, np.int64)
        searches.append(BoxSearch(space, value, base, int(measure.least), measure.fixed.astype(np.uint8)))
    row, need = np.concatenate(rows).astype(np.int32), np.concatenate(needs).astype(np.int64)
    set_of = np.zeros(table.rows, np.int32)
    for g, column in enumerate(table.ancestors.T):
        set_of[column] = g
    first, members = _members(table, row, set_of)
    pool = WitnessPool(row, need, first, members, set_of)
    return State(table, space, searches, pool, np.concatenate(measures).astype(np.int32), table.values(0)[row] == 1)


def _members(table: CellTable, row: Int32, set_of: Int32) -> tuple[Int64, Int32]:
    """Return where the base cells of each row begin, and those cells, the greatest first, at most 64 of each."""
    order = [np.argsort(column, kind="stable") for column in table.ancestors.T]
    sorted_rows = [column[each] for each, column in zip(order, table.ancestors.T, strict=True)]
    value, parts = table.measures[0].value, [np.zeros(0, np.int64)]
    for own in row:
        g = set_of[own]
        low, high = np.searchsorted(sorted_rows[g], [own, own + 1])
        cells = order[g][low:high]
        parts.append(cells[np.argsort(-value[cells], kind="stable")][:64] if high - low > 1 else cells)
    first = np.cumsum([len(part) for part in parts])
    return first.astype(np.int64), np.concatenate(parts).astype(np.int32)


def publish(state: State, budget: Budget) -> None:
    """Publish secondary rows again, the most expensive first, where all witnesses can do without."""
    marks, shown = np.asarray(state.space.suppressed), np.asarray(state.space.shown)
    rows = np.flatnonzero(marks == _SECONDARY)
    for done, row in enumerate(rows[np.argsort(-state.table.cost[rows], kind="stable")]):
        if done % 64 == 0:
            budget.report("publishing", done / len(rows))
            if budget.over():
                return
        marks[row], shown[row] = 0, 1
        using = users(state.space, state.pool, int(row))
        before = np.asarray(state.pool.start)[using].copy(), np.asarray(state.pool.count)[using].copy()
        if not all(state.find(int(witness), free=True) for witness in using):
            marks[row] = _SECONDARY
            np.asarray(state.pool.start)[using], np.asarray(state.pool.count)[using] = before
        shown[row] = 0


def collected(state: State) -> Witnesses:
    """Return the witnesses in the order of their measures and rows."""
    start, count = np.asarray(state.pool.start), np.asarray(state.pool.count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    entry = np.repeat(start, count) + within
    return Witnesses(
        row=np.asarray(state.pool.row).copy(),
        measure=state.measure,
        start=np.concatenate(([0], np.cumsum(count))).astype(np.int64),
        base=np.asarray(state.pool.base)[entry],
        change=np.asarray(state.pool.change)[entry],
    )
