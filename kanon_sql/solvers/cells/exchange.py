"""The cheapest exchange: a base cell of a primary row gains what another base cell loses, however far apart they are."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.cells.goals import Goal, moved_by
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools

_LENDERS = 32, 1024
"""Base cells that are tried, those in cheap rows first; then more, and then all."""

_ENDLESS = 1 << 62


class Exchanges:
    """A search for witnesses that change two base cells.

    Boxes have their corners in few lines, and somebody alone in all of them has no box; and a box of one base cell changes the
    grand total.

    Parameters
    ----------
    state : State
        What is changed.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        price = np.where(state.pattern == 0, state.weight, 0)
        self._order = np.argsort(price[state.table.ancestors].sum(axis=1), kind="stable")
        self._margins: dict[int, Int64] = {}

    def find(self, witness: int) -> Int32 | None:
        """Find a witness, and suppress what it changes; return these rows, None if there is no such pair.

        Notes
        -----
        O(g) for each base cell of the row and each lender that is tried, for g grouping sets. The rows of a base cell that has
        lent before are suppressed, so it is among the first to lend again.
        """
        goal = self._state.goals.goal(witness)
        if not goal.grows:
            return None
        moves, known = moved_by(self._state.table, self._state.members, goal, goal.measure)
        for most in (*_LENDERS, len(self._order)):
            lenders = self._order[:most]
            if (found := self._among(goal, moves, known, lenders)) is not None:
                self._order[: found[1] + 1] = np.roll(self._order[: found[1] + 1], 1)
                return self._taken(witness, goal, found[0], int(self._order[0]))
        return None

    def _among(self, goal: Goal, moves: Bools, known: Int64, lenders: Int64) -> tuple[int, int] | None:
        """Return the base cell that gains, and which of some lenders loses."""
        state, table, measure = self._state, self._state.table, self._state.table.measures[goal.measure]
        if goal.measure not in self._margins:
            self._margins[goal.measure] = table.values(goal.measure) - measure.least
        least = np.maximum(measure.floor[lenders], known[lenders])
        rows = table.ancestors[lenders]
        price, barred = self._prices(rows)
        barred |= self._margins[goal.measure][rows] < goal.grows
        loses = moves[lenders] & (measure.value[lenders] - least >= goal.grows)
        best, chosen, cells = -1, None, state.members.of(goal.row)
        for member in cells[moves[cells]].tolist():
            own = table.ancestors[member]
            own_price, own_barred = self._prices(own)
            apart = rows != own
            fits = loses & ~((barred | own_barred) & apart).any(axis=1) & apart[:, own == goal.row].all(axis=1)
            cost = np.where(fits, ((price + own_price) * apart).sum(axis=1), _ENDLESS)
            at = int(cost.argmin())
            if cost[at] < _ENDLESS and (best < 0 or cost[at] < best):
                best, chosen = int(cost[at]), (member, at)
        return chosen

    def _prices(self, rows: Int32) -> tuple[Int64, Bools]:
        """Return what it costs to suppress some rows, and which must not be."""
        state = self._state
        shown = state.pattern[rows] == 0
        return np.where(shown, state.weight[rows], 0), shown & (state.shown[rows] > 0)

    def _taken(self, witness: int, goal: Goal, gains: int, loses: int) -> Int32:
        state, table = self._state, self._state.table
        one, two = table.ancestors[gains], table.ancestors[loses]
        changed = np.concatenate((one[one != two], two[one != two]))
        new = np.unique(changed[state.pattern[changed] == 0])
        state.pattern[new] = SECONDARY
        state.put_own(witness, np.array([gains, loses], np.int32), np.array([goal.grows, -goal.grows], np.int64))
        return new
