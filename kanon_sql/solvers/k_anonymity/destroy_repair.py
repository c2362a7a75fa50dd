"""Local search: small neighbourhoods are taken apart and rebuilt by prices, thousands of times a second.

One step does what shifting rows, opening, dissolving and swapping classes would do one by one.
"""

from __future__ import annotations

from kanon_sql.kernels.classes.plans import Plan
from kanon_sql.kernels.random import seeded
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.pools import Site

_STEPS_PER_ROW_TYPE = 2
_MOST_STEPS = 100_000

_STEPS = 2_000
"""Steps between two looks at the clock: some tenths of a second."""

_SIZE = 40
"""Row types of a neighbourhood."""

_NOISE = 0.05
"""How far the prices are shaken, so that the same neighbourhood is rebuilt in different ways."""


def local_search(site: Site, plan: Plan, bound: int, budget: Budget) -> None:
    """Rebuild neighbourhoods of a plan, never to more cost; it ends after a number of steps that depends on the table.

    Parameters
    ----------
    site, plan
        Where; the plan is changed.
    bound : int
        A lower bound on the cost of every release, at which the search ends.
    budget : Budget
        Time left, and the seed.
    """
    from kanon_sql.kernels.classes.destroy_repair import Workspace, rebuild

    state = seeded(budget.seed)
    steps = min(_MOST_STEPS, _STEPS_PER_ROW_TYPE * site.table.row_types)
    cost, work = site.cost(plan), Workspace(site.pool, site.k, _SIZE)
    for done in range(0, steps, _STEPS):
        if cost <= bound or budget.over():
            break
        budget.report("local search", done / steps, cost, bound)
        rebuild(site.pool, plan, work, site.k, min(_STEPS, steps - done), _NOISE, _SIZE, state)
        cost = site.cost(plan)
