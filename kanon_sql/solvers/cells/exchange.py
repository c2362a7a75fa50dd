"""The cheapest exchange: a base cell of a primary row gains what another base cell loses, however far apart they are."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.cells.goals import moved_by
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int64


def exchange(state: State, witness: int) -> Int64 | None:
    """Find a witness that changes two base cells, and suppress what it changes; return these rows, None without such a pair.

    Notes
    -----
    O(b g) for b base cells and g grouping sets, for each base cell of the row. Boxes have their corners in few lines, which a
    person alone in all of them lacks; and a box of one base cell changes the grand total.
    """
    table, goal = state.table, state.goals.goal(witness)
    measure, need = table.measures[goal.measure], goal.grows
    if not need:
        return None
    open_row = state.pattern == 0
    price = np.where(open_row, state.weight, 0)
    barred = open_row & (state.shown > 0)
    moves, known = moved_by(table, state.members, goal, goal.measure)
    loses = moves & (measure.value - np.maximum(measure.floor, known) >= need)
    falls = table.values(goal.measure) - measure.least >= need
    best, chosen = -1, (0, 0)
    cells = state.members.of(goal.row)
    for member in cells[moves[cells]].tolist():
        own = table.ancestors[member]
        apart = table.ancestors != own
        fits = loses & (falls[table.ancestors] | ~apart).all(axis=1) & apart[:, own == goal.row].all(axis=1)
        fits &= ~((barred[table.ancestors] | barred[own]) & apart).any(axis=1)
        partners = np.flatnonzero(fits)
        if len(partners):
            cost = ((price[table.ancestors[partners]] + price[own]) * apart[partners]).sum(axis=1)
            at = int(cost.argmin())
            if best < 0 or cost[at] < best:
                best, chosen = int(cost[at]), (member, int(partners[at]))
    if best < 0:
        return None
    change = np.zeros((len(table.measures), table.base_cells), np.int64)
    change[goal.measure, chosen] = need, -need
    one, two = table.ancestors[list(chosen)]
    changed = np.concatenate((one[one != two], two[one != two]))
    new = np.unique(changed[state.pattern[changed] == 0])
    state.pattern[new] = SECONDARY
    state.put(witness, change)
    return new.astype(np.int64)
