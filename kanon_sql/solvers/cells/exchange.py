"""The cheapest exchange: a base cell of a primary row gains what another one loses, or several, however far apart they are."""

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
    """A search for witnesses that change two base cells, or some more.

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
        """Find a witness, and suppress what it changes; return these rows, None if nothing can lend enough.

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
                return self._taken(witness, np.array([found[0], self._order[0]]), np.array([goal.grows, -goal.grows]))
        return self._from_several(witness, goal, moves, known)

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

    def _from_several(self, witness: int, goal: Goal, moves: Bools, known: Int64) -> Int32 | None:
        """Let one base cell of the row gain what several others lose, each as much as it can, in their order."""
        state, table, measure = self._state, self._state.table, self._state.table.measures[goal.measure]
        cells = state.members.of(goal.row)
        for member in cells[moves[cells]].tolist():
            own, left, margin = table.ancestors[member], goal.grows, self._margins[goal.measure].copy()
            _, own_barred = self._prices(own)
            lenders, changes = [member], [goal.grows]
            for lender in self._order[moves[self._order]].tolist():
                rows = table.ancestors[lender]
                apart = rows != own
                _, barred = self._prices(rows)
                if ((barred | own_barred) & apart).any() or not apart[own == goal.row].all():
                    continue
                surplus = measure.value[lender] - max(int(measure.floor[lender]), int(known[lender]))
                amount = min(left, int(surplus), int(margin[rows[apart]].min(initial=left)))
                if amount > 0:
                    margin[rows] -= amount
                    left -= amount
                    lenders.append(lender)
                    changes.append(-amount)
                if not left:
                    return self._taken(witness, np.array(lenders), np.array(changes))
        return None

    def _taken(self, witness: int, base: Int64, change: Int64) -> Int32:
        """Take a witness, and suppress the rows that it changes."""
        state = self._state
        changed = state.table.ancestors[base]
        rows, place = np.unique(changed, return_inverse=True)
        moved = np.zeros(len(rows), np.int64)
        np.add.at(moved, place.ravel(), np.repeat(change, changed.shape[1]))
        new: Int32 = rows[(moved != 0) & (state.pattern[rows] == 0)]
        state.pattern[new] = SECONDARY
        state.put_own(witness, base.astype(np.int32), change.astype(np.int64))
        return new
