"""The greedy guided by prices: what gains most opens first, and what no price pays for is left to the plain greedy."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.pools import Site
from kanon_sql.solvers.instances.repair import Pieces, repair
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Recoding, row_cost

_FACTORS = (0.97, 0.98, 0.99, 1.0)
"""What the prices are multiplied by: cautious classes first, tried one after the other."""

_LOSSES = (0.2, 0.6, 1.0, 1.5)
"""Cells for each of k rows that a class may lose at the prices."""

_WORK = 1 << 28
"""Members of the pool looked at in all runs together; at least one run."""


def guided(site: Site, budget: Budget) -> Recoding:
    """Return the best recoding of some runs that open classes by price.

    Notes
    -----
    At most 16 runs of O(members) in practice, and of the plain greedy on the rows left over.
    """
    from kanon_sql.kernels.classes.guided_opening import open_by_price

    cell = int(np.max(site.pool.cost, initial=0)) // max(1, len(site.table.columns))
    runs = list(product(_FACTORS, _LOSSES))
    runs = runs[:: max(1, len(runs) * len(site.pool.member) // _WORK)]
    found: list[tuple[int, Pieces]] = []
    for number, (factor, loss) in enumerate(runs):
        if found and budget.over():
            break
        budget.report("opening", number / len(runs))
        plan = site.empty()
        left = open_by_price(site.pool, plan, site.k, factor, -int(loss * site.k * cell))
        pieces = _with_greedy(site, site.pieces(plan), left, budget)
        cost = np.where(pieces.placed, row_cost(pieces.shown, site.table.cost), int(site.patterns.cost[-1]))
        found.append((int(cost @ pieces.count), pieces))
    best = min(found, key=lambda each: each[0])[1]
    return repair(site.table, site.patterns, site.k, best, budget).recoding()


def _with_greedy(site: Site, pieces: Pieces, left: Int64, budget: Budget) -> Pieces:
    """Place the rows that are left behind by the plain greedy, among themselves, as far as it can."""
    behind = np.flatnonzero(left)
    rest = replace(
        site.table, codes=np.ascontiguousarray(site.table.codes[behind]), weight=left[behind], origin=site.table.origin[behind]
    )
    if rest.rows < site.k:
        return pieces
    more = cheapest_first(rest, site.patterns, site.k, budget)
    stays = pieces.placed
    return Pieces(
        row_type=np.concatenate([pieces.row_type[stays], behind[more.row_type].astype(np.int32)]),
        shown=np.concatenate([pieces.shown[stays], more.shown]),
        count=np.concatenate([pieces.count[stays], more.count]),
        placed=np.concatenate([pieces.placed[stays], more.placed]),
    )
