"""Destroy and repair: some secondary rows near each other are published, and the witnesses that they served look for others."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.greedy import publish
from kanon_sql.solvers.cells.state import SECONDARY, State
from kanon_sql.table.arrays import Int64

_ROUNDS, _ROUNDS_PER_ROW, _WORK = 2_000, 20, 40_000
"""Rounds, at most, and for each secondary row, and witnesses that all of them look for, at most."""

_COPIED, _LEAST = 50_000_000, 0.1
"""Rows of the table that all rounds together copy, at most, and the fewest rounds for each secondary row that pay."""

_MOST_USERS = 40
"""Witnesses that look for others in one round, at most: the fewer, the more rounds."""

_MOST = 12
"""Rows that are published together, at most."""

_SLACK = 1
"""What a rebuild may cost more than before, until its rows are published again."""

_THRESHOLD = 3
"""Mean costs of a secondary row that a rebuild may cost more than the best at first; nothing at the end."""

_CHECKED = 16
"""Rounds between two checks of the clock."""

_NOISE = 12
"""Weights are perturbed by at most so many parts of 1, so that the same surroundings are rebuilt in different ways."""


def improve(state: State, lower_bound: int, budget: Budget) -> None:
    """Destroy and repair: publish some secondary rows, let witnesses find others; keep what costs little more than the best.

    Rebuilds may cost a part more than the best at first, and no more at the end (threshold accepting).
    """
    secondary = int((state.pattern == SECONDARY).sum())
    rounds = min(_ROUNDS, _ROUNDS_PER_ROW * secondary, _COPIED // state.table.rows)
    if not secondary or rounds < _LEAST * secondary:
        state.price(state.weight)
        return
    random = np.random.default_rng(budget.seed)
    work, done, best, kept = 0, 0, state.cost, state.snapshot()
    threshold = _THRESHOLD / secondary * best
    while work < _WORK and done < rounds and best > lower_bound and not budget.over():
        if done % _CHECKED == 0:
            budget.report("destroy and repair", max(done / rounds, work / _WORK), best, lower_bound)
            state.renew()
        left = 1 - max(done / rounds, work / _WORK, budget.share())
        work += _rebuild(state, best + int(threshold * left), random)
        done += 1
        if state.cost < best:
            best, kept = state.cost, state.snapshot()
    state.take(kept)
    state.price(state.weight)


def _perturbed(state: State, random: np.random.Generator) -> Int64:
    """Return the weights of the rows with some noise."""
    return state.weight + random.integers(_NOISE + 1, size=state.table.rows)


def _rebuild(state: State, limit: int, random: np.random.Generator) -> int:
    """Rebuild the surroundings of one row, if the table then costs no more than a limit; return the witnesses looked for."""
    kept = state.pattern.copy(), state.kept(slice(None))
    first = int(random.choice(np.flatnonzero(state.pattern == SECONDARY)))
    taken = [first, *_near(state, first, random)]
    using = _users(state, taken)
    while len(using) > _MOST_USERS and len(taken) > 1:
        taken = taken[: len(taken) // 2]
        using = _users(state, taken)
    if len(using) > _MOST_USERS:
        return len(using) // 8 + 1
    state.price(_perturbed(state, random))
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
        state.pattern[:] = kept[0]
        state.restore(slice(None), kept[1])
    return len(using) + 8


def _users(state: State, rows: list[int]) -> list[int]:
    """Return the witnesses that change some secondary rows."""
    return sorted({witness for row in rows for witness in state.users(row)})


def _near(state: State, row: int, random: np.random.Generator) -> list[int]:
    """Return some secondary rows that witnesses change together with a row."""
    start, count, base = (np.asarray(each) for each in (state.store.start, state.store.count, state.store.base))
    cells = np.concatenate([base[start[each] : start[each] + count[each]] for each in state.users(row)] or [base[:0]])
    near = np.unique(state.table.ancestors[cells])
    near = near[(state.pattern[near] == SECONDARY) & (near != row)]
    return [int(each) for each in random.permutation(near)[: random.integers(_MOST)]]
