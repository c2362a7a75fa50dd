"""Greedy: each primary row gets the cheapest witness, then secondary rows are published again one by one.

References
----------
Kelly, Golden and Assad: Cell Suppression: Disclosure Protection for Sensitive Tabular Data (1992), for the idea of clean-up.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int64

_CHECKED = 64
"""Witnesses or rows between two checks of the clock."""


def protect(state: State, budget: Budget) -> None:
    """Find witnesses for all primary rows, and publish again what they can do without.

    Raises
    ------
    InfeasibleError
        When a primary row has no witness, even if every row is suppressed that may be.
    """
    missing = [witness for witness in range(len(state.measure)) if state.find(witness, free=True) is None]
    for done, witness in enumerate(missing):
        if done % _CHECKED == 0:
            budget.report("witnesses", done / len(missing))
        if state.find(witness, free=False) is None:
            raise InfeasibleError(
                "a row that has to be suppressed cannot be protected: its value follows from rows that have to be shown; "
                "hint: show fewer grouping sets"
            )
    rows = np.flatnonzero(state.marks == SECONDARY)
    order = rows[np.argsort(-state.table.cost[rows], kind="stable")]
    for done in range(0, len(order), _CHECKED):
        budget.report("publishing", done / len(order), state.cost)
        if budget.over():
            return
        publish(state, order[done : done + _CHECKED])


def publish(state: State, rows: Int64) -> None:
    """Publish secondary rows, one by one, where all witnesses can do without."""
    for row in rows:
        if state.marks[row] != SECONDARY:
            continue
        using = state.users(int(row))
        state.marks[row], state.shown[row] = 0, 1
        before = state.kept(using)
        if any(state.find(witness, free=True) is None for witness in using):
            state.marks[row] = SECONDARY
            state.restore(using, before)
        state.shown[row] = 0
