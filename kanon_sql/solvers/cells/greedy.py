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
from kanon_sql.solvers.cells.exchange import Exchanges
from kanon_sql.solvers.cells.state import SECONDARY, State, steps_for
from kanon_sql.table.arrays import Int64

_CHECKED, _REPORTS = 64, 500
"""Witnesses or rows between two checks of the clock, at least, and reports of what is published, at most."""

_EXPENSIVE, _MOST_PROGRAMS = 6, 1_000
"""Cost of a move for which a program is tried where tables overlap, and witnesses up to which it is."""

_PROGRAMS = 100
"""Rows that programs try to publish again, at most, and witnesses of each."""

_MOST_USERS = 500
"""Witnesses that change a row that is published again, at most: more will hardly all do without it."""


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
            "a suppressed row follows from rows that must be shown, or from cells that a contributor knows; "
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
