"""Local search: small neighbourhoods are taken apart and rebuilt by prices, thousands of times a second.

One step does what shifting rows, opening, dissolving and swapping classes would do one by one.
"""

from __future__ import annotations

from kanon_sql.kernels.classes.partition import Partition
from kanon_sql.kernels.random import seeded
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.search_space import RowSearchSpace

_TIMES, _TIMES_OF_LADDERS, _LEAST_STEPS = 100, 250, 1_000
"""How often a pass takes each row type apart on average; where levels leave more to choose from; and its least steps."""

_CHUNK, _LEAST_CHUNKS = 80_000, 10
"""Row types that are taken apart between two checks of the clock, some tenths of a second; and checks in a pass, at least."""

_SIZE, _SIZE_PER_ROW, _MOST = 24, 8, 640
"""Row types of a neighbourhood: so many, and some for each of k rows; at most."""

_NOISE = 0.05
"""How far the prices are perturbed, so that the same neighbourhood is rebuilt in different ways."""

_THRESHOLD, _THRESHOLD_PER_ROW = 2, 0.4
"""Cells that a rebuild may cost more at first, in all or for each of k rows if that is less; none at the end of a pass."""


def local_search(space: RowSearchSpace, partition: Partition, bound: int, budget: Budget, *, endless: bool) -> bool:
    """Rebuild neighbourhoods of a partition by threshold accepting; return whether there is little left to gain this way.

    Parameters
    ----------
    space, partition
        Where; the partition is changed.
    bound : int
        A lower bound on the cost of every release, at which the search ends.
    budget : Budget
        Time left, and the seed.
    endless : bool
        Whether passes follow each other as long as they gain; else there is one. Its steps depend on the table.
    """
    from kanon_sql.kernels.classes.destroy_repair import rebuild
    from kanon_sql.kernels.classes.workspace import RepairWorkspace

    state = seeded(budget.seed)
    size = min(_SIZE + _SIZE_PER_ROW * space.k, _MOST)
    times = _TIMES_OF_LADDERS if space.table.has_ladders else _TIMES
    steps = budget.steps(max(_LEAST_STEPS, times * space.table.row_types // size))
    chunk = min(max(1, _CHUNK // size), steps // _LEAST_CHUNKS)
    work = RepairWorkspace(space.candidates, space.k, size)
    highest = min(_THRESHOLD, _THRESHOLD_PER_ROW * space.k) * space.cell
    cost, before, gained, done = space.cost(partition), -1, True, 0
    while cost > bound and not budget.over():
        if done >= steps:
            if not endless or cost == before:
                return not gained
            before, done = cost, 0
        budget.report("local search", done / steps, cost, bound)
        done += chunk
        left = 0.0 if before >= 0 else max(0.0, 1 - max(done / steps, budget.share()))
        rebuild(space.candidates, partition, work, space.k, chunk, _NOISE, int(highest * left), state)
        gained = space.cost(partition) < cost
        cost = space.cost(partition)
    return False
