"""The state in which a search begins: without witnesses, or with those of a narrower table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.kernels.cells import BoxSearch, CircuitSearch, PlaneSearch, WitnessStore
from kanon_sql.solvers.cells.goals import RowCells, goals_of
from kanon_sql.solvers.cells.search_space import cell_space
from kanon_sql.solvers.cells.state import SECONDARY, UNIT, State, steps_for
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import CellTable

_MEMBERS = 64
"""Base cells of a primary row that are tried as the centre of a box."""


def started(table: CellTable) -> State:
    """Return the search space of a table, without witnesses."""
    space = cell_space(table)
    members = RowCells(table)
    goals = goals_of(table, members)
    limits = [
        ((each.value - np.maximum(each.floor, each.known)).astype(np.int64), each.fixed.copy()) for each in table.measures
    ]
    searches = [
        BoxSearch(space, table.values(number) - each.least, *limits[number]) for number, each in enumerate(table.measures)
    ]
    set_of = np.zeros(table.rows, np.int32)
    for g, column in enumerate(table.ancestors.T):
        set_of[column] = g
    circuits = CircuitSearch(members.first, members.cells, table.base_cells)
    first, centres = _members(table, goals.row, set_of)
    store = WitnessStore(goals.row, goals.grows.copy(), first, centres, set_of, PlaneSearch(space), circuits)
    store.steps = steps = steps_for(len(goals.row))
    return State(
        table=table,
        weight=table.cost * UNIT,
        space=space,
        searches=searches,
        limits=limits,
        store=store,
        goals=goals,
        members=members,
        failures=[0] * len(goals.row),
        steps=steps,
    )


def carried(state: State, table: CellTable) -> State:
    """Return the search space of a wider table, with the pattern and the witnesses of a state.

    Parameters
    ----------
    state : State
        Its rows and base cells are in the other table, too; base cells with the same numbers.
    table : CellTable
        The same grouping sets, and further base cells that nobody has.
    """
    wider, old = started(table), state.table
    wider.by_programs = state.by_programs
    row = np.zeros(old.rows, np.int64)
    row[old.ancestors] = table.ancestors[: old.base_cells]
    pattern, before = wider.pattern.copy(), state.witnesses()
    own = row[state.pattern == SECONDARY]
    pattern[own[pattern[own] == 0]] = SECONDARY
    source = wider.goals.among(state.goals, row)
    length = np.where(source >= 0, np.diff(before.start)[source], 0)
    start = np.append(0, np.cumsum(length))
    entry = np.repeat(before.start[source], length) + np.arange(start[-1]) - np.repeat(start[:-1], length)
    wider.take(
        (
            pattern,
            replace(
                before,
                row=wider.goals.row,
                measure=wider.measure,
                start=start,
                of=before.of[entry],
                base=before.base[entry],
                change=before.change[entry],
            ),
        )
    )
    return wider


def _members(table: CellTable, row: Int32, set_of: Int32) -> tuple[Int64, Int32]:
    """Return where the base cells of each row begin, and those cells, the greatest first, at most `_MEMBERS` of each."""
    order = [np.argsort(column, kind="stable") for column in table.ancestors.T]
    sorted_rows = [column[each] for each, column in zip(order, table.ancestors.T, strict=True)]
    value, parts = table.measures[0].value, [np.zeros(0, np.int64)]
    for own in row:
        g = set_of[own]
        low, high = np.searchsorted(sorted_rows[g], [own, own + 1])
        cells = order[g][low:high]
        parts.append(cells[np.argsort(-value[cells], kind="stable")][:_MEMBERS] if high - low > 1 else cells)
    first = np.cumsum([len(part) for part in parts])
    return first.astype(np.int64), np.concatenate(parts).astype(np.int32)
