"""The greedy guided by prices: what gains most opens first, and what no price pays for is left to the plain greedy."""

from __future__ import annotations

from itertools import product

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.solvers.instances.search_space import SearchSpace
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.solvers.k_anonymity.guided_rounds import open_in_rounds
from kanon_sql.solvers.k_anonymity.listed_greedy import are_many
from kanon_sql.table.recoding import Recoding, row_cost

_FACTORS = (0.97, 0.99)
"""What the prices are multiplied by: cautious classes first, tried one after the other."""

_LOSSES = (0.2, 0.6, 1.0, 1.5)
"""Cells for each of k rows that a class may lose at the prices."""

_IN_ROUNDS = [(0.97, 1.5)]
"""Factor and loss of the one run where patterns are many: others end within 0.2 % of it, which the local search levels out."""

_WORK = 1 << 28
"""Members of the candidate classes tried in all runs together; at least one run."""


def guided(space: SearchSpace, budget: Budget) -> Recoding:
    """Return the best recoding of some runs that open classes by price.

    Notes
    -----
    At most 8 runs of O(members) in practice, and of the plain greedy on the rows left over.
    """
    in_rounds = are_many(space.table, space.patterns)
    runs = _IN_ROUNDS if in_rounds else list(product(_FACTORS, _LOSSES))
    runs = runs[:: max(1, len(runs) * len(space.candidates.member) // _WORK)]
    found: list[tuple[int, PartialRecoding]] = []
    for number, (factor, loss) in enumerate(runs):
        if found and budget.over():
            break
        budget.report("opening", number / len(runs))
        partial = (open_in_rounds if in_rounds else _open_once)(space, factor, loss, budget)
        cost = np.where(partial.placed, row_cost(partial.shown, space.table.cost), int(space.patterns.cost[-1]))
        found.append((int(cost @ partial.count), partial))
    best = min(found, key=lambda each: each[0])[1]
    return repair(space.table, space.patterns, space.k, best, budget).recoding()


def _open_once(space: SearchSpace, factor: float, loss: float, budget: Budget) -> PartialRecoding:
    """Open classes by price, and place the unassigned rows by the plain greedy, among themselves, as far as it can."""
    from kanon_sql.kernels.classes.guided_opening import open_by_price

    partition = space.empty()
    left = open_by_price(space.candidates, partition, space.k, factor, -int(loss * space.k * space.cell))
    partial, unassigned = space.partial(partition), np.flatnonzero(left)
    rest = space.table.of_row_types(unassigned, left[unassigned])
    if rest.rows < space.k:
        return partial
    return partial.with_rest(cheapest_first(rest, space.patterns, space.k, budget), unassigned)
