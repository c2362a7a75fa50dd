"""The greedy guided by prices: what gains most opens first, and what no price pays for is left to the plain greedy.

Where patterns are many, classes open in rounds: what one round leaves is listed and priced anew, among itself.

Prices of the whole table place about half of the rows of a wide table: instances are small there, and once one is open
those that overlap it fall below k. Prices of the rows that are left tell what to open next.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import among
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.solvers.k_anonymity import listed_greedy
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.solvers.k_anonymity.lagrangian import relax
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding

_FACTOR, _LOSS = 0.97, 1.5
"""What the prices are multiplied by: cautious classes first. And the cells for each of k rows that a class may lose at them.

Releases from other figures end within 0.2 % of this one, which the local search levels out.
"""

_STALLED = 0.97
"""A round that leaves more than this share of its rows is the last."""


def guided(space: RowSearchSpace, budget: Budget) -> Recoding:
    """Return a recoding whose classes opened by price.

    Notes
    -----
    O(members) in practice, and the plain greedy on the rows left over.
    """
    budget.report("opening", 0.0)
    open_classes = open_in_rounds if listed_greedy.are_many(space.table, space.patterns) else _open_once
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


def open_in_rounds(space: RowSearchSpace, factor: float, loss: float, budget: Budget) -> PartialRecoding:
    """Open classes by price, then list and price the rows that are left, and so on; the greedy places the last.

    Parameters
    ----------
    factor : float
        What the prices are multiplied by.
    loss : float
        Cells for each of k rows that a class may lose at the prices.

    Notes
    -----
    O(members) a round, and the prices of the rest; the rest shrinks to about a third from round to round.
    """
    from kanon_sql.kernels.classes import open_by_price

    rows, row_type = space.table.rows, np.arange(space.table.row_types)
    found: PartialRecoding | None = None
    while True:
        partition = space.empty()
        least = -int(loss * space.k * space.cell)
        left = open_by_price(space.candidates, partition, space.k, factor, least)
        placed = space.partial(partition)
        found = placed if found is None else found.with_rest(placed, row_type)
        unassigned, stalled = np.flatnonzero(left), int(left.sum()) > _STALLED * space.table.rows
        if int(left.sum()) < space.k or budget.over():
            return found
        budget.report("opening", 1 - int(left.sum()) / rows)
        row_type = row_type[unassigned]
        rest = space.table.of_row_types(unassigned, left[unassigned])
        priced = None if stalled else _priced(space, rest, budget.of_a_part())
        if priced is None:
            return found.with_rest(listed_greedy.cheapest_first(rest, space.patterns, space.k, budget)[0], row_type)
        space = priced


def _priced(space: RowSearchSpace, rest: CodedTable, budget: Budget) -> RowSearchSpace | None:
    """Return the search space of the rest with prices of its own; None where nothing can be listed, or time ends."""
    from kanon_sql.kernels.classes import take_listed

    instances = among(rest, space.patterns, space.k, slack=1, budget=budget)
    if instances is None or budget.over():
        return None
    taken = np.full(rest.row_types, -1, np.int32)
    placed = take_listed(
        instances.start, instances.member, np.argsort(instances.cost, kind="stable"), rest.weight, space.k, taken
    )
    if not placed:
        return None
    cost = int(instances.cost[taken[taken >= 0]] @ rest.weight[taken >= 0])
    upper = -(-cost * rest.rows // placed)  # the others, which the greedy places later, cost no less: enough to set the pace
    relaxed = relax(rest, instances, space.k, upper, budget)
    return RowSearchSpace.of(rest, space.patterns, space.k, instances, relaxed.prices)
