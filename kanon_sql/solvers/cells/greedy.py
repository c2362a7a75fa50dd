"""Greedy: each primary row gets the cheapest witness, then secondary rows are published again one by one.

References
----------
Kelly, Golden and Assad: Cell Suppression: Disclosure Protection for Sensitive Tabular Data (1992), for the idea of clean-up.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.cheapest_witness import CheapestWitness
from kanon_sql.solvers.cells.goals import Goal, moved_by
from kanon_sql.solvers.cells.state import SECONDARY, State, steps_for
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools

_CHECKED, _REPORTS = 64, 500
"""Witnesses or rows between two checks of the clock, at least, and reports of what is published, at most."""

_EXPENSIVE, _MOST_PROGRAMS = 6, 1_000
"""Cost of a move for which a program is tried where tables overlap, and witnesses up to which it is."""

_PROGRAMS = 100
"""Rows that programs try to publish again, at most, and witnesses of each."""

_MOST_USERS = 500
"""Witnesses that change a row that is published again, at most: more will hardly all do without it."""

_LENDERS = 32, 1024
"""Base cells that are tried, those in cheap rows first; then more, and then all."""

_ENDLESS = 1 << 62


def protect(state: State, budget: Budget, order: Int64 | None = None) -> None:
    """Find witnesses for all primary rows that have none, and publish again what was suppressed for them, if it can be.

    Parameters
    ----------
    state : State
        Changed.
    budget : Budget
        Time left.
    order : int64 array, optional
        The order of the primary rows.

    Raises
    ------
    InfeasibleError
        When a primary row has no witness, even if every row is suppressed that may be.
    """
    before, found = state.suppressed, np.asarray(state.store.count) > 0
    every = range(len(state.measure)) if order is None else order.tolist()
    _look_for(state, [each for each in every if not found[each] and state.find(each, free=True) is None], budget)
    rows = np.flatnonzero((state.pattern == SECONDARY) & ~before)
    order = rows[np.argsort(-state.weight[rows], kind="stable")]
    step = max(_CHECKED, len(order) // _REPORTS)
    for done in range(0, len(order), step):
        budget.report("publishing", done / len(order), state.cost)
        if budget.over():
            return
        publish(state, order[done : done + step])


def _look_for(state: State, missing: list[int], budget: Budget) -> None:
    """Find witnesses that no suppressed rows give. A row that costs as much as all others, a grand total, goes last."""
    # Where few are missing, longer searches for moves of suppressed rows alone pay.
    steps = steps_for(len(missing))
    overlaps = bool(state.table.unseen.any()) and len(missing) <= _MOST_PROGRAMS
    last = np.flatnonzero((state.table.cost >= (~state.table.unseen).sum()) & (state.pattern == 0) & (state.shown == 0))
    exchanges: Exchanges | None = None
    state.shown[last] = 1
    for done, witness in enumerate(missing):
        if done % _CHECKED == 0:
            budget.report("witnesses", done / len(missing))
        if state.find(witness, free=True, steps=steps) is not None:
            continue
        new = state.find(witness, free=False, steps=steps)
        if new is None and len(last):
            exchanges = exchanges or Exchanges(state)
            new = exchanges.find(witness)
        if new is None and len(last):
            state.shown[last] = 0
            new = state.find(witness, free=False, steps=steps)
        if new is None:
            state.shown[last] = 0
            _by_program(state, witness, budget)
        elif overlaps and int(state.table.cost[new].sum()) > _EXPENSIVE:
            state.pattern[new] = 0
            _by_program(state, witness, budget)
    state.shown[last] = 0


def _by_program(state: State, witness: int, budget: Budget) -> None:
    """Find a witness by an integer program, where no move does: rows that have to be shown are in the way."""
    changes = _program(state, witness).find(state.goals.goal(witness), state.suppressed, state.weight, budget)
    if changes is None:
        raise InfeasibleError(
            "a suppressed row can be derived from rows that must be shown, or from cells that a contributor knows; "
            "nothing was released; hint: show fewer grouping sets, or use keys with larger groups"
        )
    for change in changes:
        moved = np.zeros(state.table.rows, np.int64)
        for column in state.table.ancestors.T:
            np.add.at(moved, column, change)
        state.pattern[(moved != 0) & (state.pattern == 0)] = SECONDARY
    state.put(witness, changes)


def _program(state: State, witness: int) -> CheapestWitness:
    """Return the programs for a witness."""
    measure = int(state.measure[witness])
    state.by_programs = True
    if measure not in state.programs:
        state.programs[measure] = CheapestWitness(state.table, measure, state.members)
    return state.programs[measure]


def publish_by_programs(state: State, budget: Budget) -> None:
    """Publish the most expensive secondary rows, where programs find witnesses that do without."""
    rows = np.flatnonzero(state.pattern == SECONDARY)
    for row in rows[np.argsort(-state.table.cost[rows], kind="stable")][:_PROGRAMS].tolist():
        if budget.over():
            return
        using = state.users(row)
        if len(using) > _PROGRAMS:
            continue
        state.pattern[row], state.shown[row] = 0, 1
        before = state.kept(using)
        if not all(_without(state, witness, budget) for witness in using):
            state.pattern[row] = SECONDARY
            state.restore(using, before)
        state.shown[row] = 0


def _without(state: State, witness: int, budget: Budget) -> bool:
    """Find another witness that changes suppressed rows alone; return whether there is one."""
    if state.find(witness, free=True) is not None:
        return True
    changes = _program(state, witness).within(state.goals.goal(witness), state.suppressed, budget)
    if changes is not None:
        state.put(witness, changes)
    return changes is not None


def publish(state: State, rows: Int64) -> None:
    """Publish secondary rows, one by one, where all witnesses can do without."""
    for row in rows:
        if state.pattern[row] != SECONDARY:
            continue
        # Those that could not do without another row before come first.
        using = sorted(state.users(int(row)), key=lambda witness: -state.failures[witness])
        if len(using) > _MOST_USERS:
            continue
        state.pattern[row], state.shown[row] = 0, 1
        before = state.kept(using)
        failed = next((witness for witness in using if state.find(witness, free=True) is None), None)
        if failed is not None:
            state.failures[failed] += 1
            state.pattern[row] = SECONDARY
            state.restore(using, before)
        state.shown[row] = 0


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
