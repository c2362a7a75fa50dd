"""The greedy guided by prices: what gains most opens first, and what no price pays for is left to the plain greedy."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.solvers.k_anonymity.guided_rounds import open_in_rounds
from kanon_sql.solvers.k_anonymity.listed_greedy import are_many
from kanon_sql.table.recoding import Recoding

_FACTOR, _LOSS = 0.97, 1.5
"""What the prices are multiplied by: cautious classes first. And the cells for each of k rows that a class may lose at them.

Releases from other figures end within 0.2 % of this one, which the local search levels out.
"""


def guided(space: RowSearchSpace, budget: Budget) -> Recoding:
    """Return a recoding whose classes opened by price.

    Notes
    -----
    O(members) in practice, and the plain greedy on the rows left over.
    """
    budget.report("opening", 0.0)
    open_classes = open_in_rounds if are_many(space.table, space.patterns) else _open_once
    partial = open_classes(space, _FACTOR, _LOSS, budget)
    return repair(space.table, space.patterns, space.k, partial, budget).recoding()


def _open_once(space: RowSearchSpace, factor: float, loss: float, budget: Budget) -> PartialRecoding:
    """Open classes by price, and place the unassigned rows by the plain greedy, among themselves, as far as it can."""
    from kanon_sql.kernels.classes import open_by_price

    partition = space.empty()
    left = open_by_price(space.candidates, partition, space.k, factor, -int(loss * space.k * space.cell))
    partial, unassigned = space.partial(partition), np.flatnonzero(left)
    rest = space.table.of_row_types(unassigned, left[unassigned])
    if rest.rows < space.k:
        return partial
    return partial.with_rest(cheapest_first(rest, space.patterns, space.k, budget), unassigned)
