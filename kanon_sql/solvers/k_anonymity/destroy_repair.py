"""Local search: small neighbourhoods are taken apart and rebuilt by prices, thousands of times a second.

One step does what shifting rows, opening, dissolving and swapping classes would do one by one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from kanon_sql.kernels.classes import Partition
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.solvers.threads import WORKERS

_TIMES = {0: 125, 50_000: 50, 400_000: 35}
"""How often a pass takes each row type apart on average, by the row types from which on it does.

Twice as many steps save 0.2 % of the cost of 120,000 row types, and of 450,000.
"""

_TIMES_OF_LADDERS, _LEAST_STEPS = 250, 1_000
"""The same where levels leave more to choose from, and the least steps of a pass."""

_CHUNK, _LEAST_CHUNKS = 80_000, 10
"""Row types that are taken apart between two checks of the clock, some tenths of a second; and checks in a pass, at least."""

_SIZE, _SIZE_PER_ROW, _MOST = 24, 8, 640
"""Row types of a neighbourhood: so many, and some for each of k rows; at most."""

_DIVISIONS = 6
"""How often a pass divides a large partition among the cores."""

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
    endless : bool
        Whether passes follow each other as long as they gain; else there is one. Its steps depend on the table.
    """
    from kanon_sql.solvers.k_anonymity.parts import Parts

    size = min(_SIZE + _SIZE_PER_ROW * space.k, _MOST)
    few = _TIMES[max(least for least in _TIMES if least <= space.table.row_types)]
    times = _TIMES_OF_LADDERS if space.table.has_ladders else few
    steps = budget.steps(max(_LEAST_STEPS, times * space.table.row_types // size))
    parts = Parts(space, partition, size, budget.seed)
    chunk = min(max(1, _CHUNK // size) * parts.many, steps // _LEAST_CHUNKS)
    highest = min(_THRESHOLD, _THRESHOLD_PER_ROW * space.k) * space.cell
    cost, before, gained, idle, done, division = space.cost(partition), -1, True, False, 0, 0
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        while cost > bound and not budget.over():
            if done >= steps:
                if not endless or cost == before:
                    idle = not gained
                    break
                before, done, division = cost, 0, 0
            budget.report("local search", done / steps, cost, bound)
            if done * _DIVISIONS >= steps * division:
                parts.divide(threads)
                division += 1
            done += chunk
            left = 0.0 if before >= 0 else max(0.0, 1 - max(done / steps, budget.share()))
            parts.rebuild(chunk, int(highest * left), threads)
            gained = parts.cost() < cost
            cost = parts.cost()
    parts.together()
    return idle
