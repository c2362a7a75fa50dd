"""Destroy and repair: some secondary rows near each other are published, and the witnesses that they served look for others."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.greedy import publish
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int32, Int64

_ROUNDS, _WORK = 2_000, 200_000
"""Rounds, at most, and witnesses that all of them look for, at most."""

_MOST = 6
"""Rows that are published together, at most."""


def improve(state: State, lower_bound: int, budget: Budget) -> None:
    """Rebuild the surroundings of one secondary row after another, and keep what costs no more."""
    random = np.random.default_rng(budget.seed)
    work, done, cost = 0, 0, state.cost
    while done < _ROUNDS and work < _WORK and cost > lower_bound and not budget.over():
        rows = np.flatnonzero(state.marks == SECONDARY)
        if done % 16 == 0:
            budget.report("destroy and repair", done / _ROUNDS, cost, lower_bound)
            state.renew()
        work += _rebuild(state, rows, random)
        cost = state.cost
        done += 1


def _rebuild(state: State, rows: Int64, random: np.random.Generator) -> int:
    """Rebuild the surroundings of one row, if that costs no more; return how many witnesses were looked for."""
    kept = state.marks.copy(), np.asarray(state.pool.start).copy(), np.asarray(state.pool.count).copy()
    before = state.cost
    first = int(random.choice(rows))
    taken = [first, *_near(state, first, random)]
    using = sorted({witness for row in taken for witness in state.users(row)})
    state.marks[taken] = 0
    state.shown[first] = banned = bool(random.integers(2))
    new = [_found(state, using[at]) for at in random.permutation(len(using))]
    state.shown[first] = 0
    if not any(each is None for each in new):
        publish(state, random.permutation(np.unique(np.concatenate([taken, *(each for each in new if each is not None)]))))
    if any(each is None for each in new) or state.cost > before:
        state.marks[:], np.asarray(state.pool.start)[:], np.asarray(state.pool.count)[:] = kept
    return len(using) + 8 + banned


def _near(state: State, row: int, random: np.random.Generator) -> list[int]:
    """Return some secondary rows that witnesses change together with a row."""
    start, count, base = (np.asarray(each) for each in (state.pool.start, state.pool.count, state.pool.base))
    cells = np.concatenate([base[start[each] : start[each] + count[each]] for each in state.users(row)] or [base[:0]])
    near = np.unique(state.table.ancestors[cells])
    near = near[(state.marks[near] == SECONDARY) & (near != row)]
    return [int(each) for each in random.permutation(near)[: random.integers(_MOST)]]


def _found(state: State, witness: int) -> Int32 | None:
    """Find a witness, at no cost if possible; return the rows that are suppressed for it."""
    found = state.find(witness, free=True)
    return state.find(witness, free=False) if found is None else found
