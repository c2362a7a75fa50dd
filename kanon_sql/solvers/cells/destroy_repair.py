"""Destroy and repair: some secondary rows near each other are published, and the witnesses that they served look for others."""

from __future__ import annotations

import numpy as np

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.greedy import protect, publish
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int64

_STARTS, _ROUNDS, _ROUNDS_PER_ROW, _WORK = 4, 1_000, 20, 60_000
"""First tables, rounds from each, at most, and for each secondary row, and witnesses that all of them look for, at most."""

_FEW = 500
"""Witnesses of a table that is begun several times, at most."""

_MOST = 12
"""Rows that are published together, at most."""

_SLACK = 1
"""What a rebuild may cost more than before, until its rows are published again."""

_THRESHOLD = 2
"""Mean costs of a secondary row that a rebuild may cost more than the best at first; nothing at the end."""

_CHECKED = 16
"""Rounds between two checks of the clock."""

_UNIT, _NOISE = 16, 12
"""Costs are perturbed in such parts of 1, so that the same surroundings are rebuilt in different ways."""


def improve(state: State, lower_bound: int, budget: Budget) -> None:
    """Rebuild the surroundings of one secondary row after another, for a small table from several first ones."""
    random = np.random.default_rng(budget.seed)
    best, first, work = state.snapshot(), state.cost, 0
    starts = _STARTS if len(state.measure) <= _FEW else 1
    for start in range(starts):
        if start > 0:
            state.clear()
            np.asarray(state.space.cost)[:] = _perturbed(state, random)
            try:
                protect(state, budget.of_a_part(), random.permutation(len(state.measure)))
            except InfeasibleError:
                break  # an integer program took too long: there is a table already
        work += _search(state, lower_bound, budget, random, (_WORK - work) // (starts - start))
        if state.cost < first:
            best, first = state.snapshot(), state.cost
        if budget.over() or first <= lower_bound:
            break
    state.take(best)
    np.asarray(state.space.cost)[:] = state.table.cost


def _search(state: State, lower_bound: int, budget: Budget, random: np.random.Generator, most: int) -> int:
    """Keep rebuilds that cost little more than the best, at first; return how many witnesses were looked for."""
    work, done, best, kept = 0, 0, state.cost, state.snapshot()
    threshold = _THRESHOLD * best / max(1, int((state.pattern == SECONDARY).sum()))
    rounds = min(_ROUNDS, _ROUNDS_PER_ROW * int((state.pattern == SECONDARY).sum()))
    while work < most and done < rounds and best > lower_bound and not budget.over():
        if done % _CHECKED == 0:
            budget.report("destroy and repair", max(done / rounds, work / most), best, lower_bound)
            state.renew()
        left = 1 - max(done / rounds, work / most, budget.share())
        work += _rebuild(state, best + int(threshold * left), random)
        done += 1
        if state.cost < best:
            best, kept = state.cost, state.snapshot()
    state.take(kept)
    return work


def _perturbed(state: State, random: np.random.Generator) -> Int64:
    """Return the costs of the rows with some noise."""
    return state.table.cost * _UNIT + random.integers(_NOISE + 1, size=state.table.rows)


def _rebuild(state: State, limit: int, random: np.random.Generator) -> int:
    """Rebuild the surroundings of one row, if the table then costs no more than a limit; return the witnesses looked for."""
    kept = state.pattern.copy(), np.asarray(state.store.start).copy(), np.asarray(state.store.count).copy()
    first = int(random.choice(np.flatnonzero(state.pattern == SECONDARY)))
    taken = [first, *_near(state, first, random)]
    using = sorted({witness for row in taken for witness in state.users(row)})
    np.asarray(state.space.cost)[:] = _perturbed(state, random)
    cost = state.cost - int(state.table.cost[taken].sum())
    state.pattern[taken] = 0
    state.shown[first] = random.integers(2)
    new = [np.array(taken, np.int32)]
    for witness in random.permutation([each for each in using if state.find(each, free=True) is None]):
        found = state.find(int(witness), free=False)
        if found is None or (cost := cost + int(state.table.cost[found].sum())) > limit + _SLACK:
            cost = limit + _SLACK + 1
            break
        new.append(found)
    state.shown[first] = 0
    if cost <= limit + _SLACK:
        publish(state, random.permutation(np.unique(np.concatenate(new))))
        cost = state.cost
    if cost > limit:
        state.pattern[:], np.asarray(state.store.start)[:], np.asarray(state.store.count)[:] = kept
    return len(using) + 8


def _near(state: State, row: int, random: np.random.Generator) -> list[int]:
    """Return some secondary rows that witnesses change together with a row."""
    start, count, base = (np.asarray(each) for each in (state.store.start, state.store.count, state.store.base))
    cells = np.concatenate([base[start[each] : start[each] + count[each]] for each in state.users(row)] or [base[:0]])
    near = np.unique(state.table.ancestors[cells])
    near = near[(state.pattern[near] == SECONDARY) & (near != row)]
    return [int(each) for each in random.permutation(near)[: random.integers(_MOST)]]
