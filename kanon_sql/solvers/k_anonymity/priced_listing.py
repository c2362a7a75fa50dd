"""Listing by price: the instances that gain something where rows pay a little more than their prices, and no others.

A slack that is the same for all rows lists far too much for most of them, and too little for those whose price would rise
above it. Prices tell: they begin at what the rows pay in a known release, and a second listing follows what they have come to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import SLACK, Instances, gaining, least_costs, usual_cost
from kanon_sql.solvers.k_anonymity.lagrangian import Relaxation, relax, scale_of
from kanon_sql.solvers.k_anonymity.listed_greedy import are_many
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

_FEW_PAIRS = 1 << 25
"""Patterns times row types up to which there are few instances: they are listed with a slack that is the same for all rows."""

_FIRST_SHARE = 0.97
"""What a row pays at first, as a share of what it pays in the known release."""

_MARGINS = {0: 0.6, 4: 0.5}
"""Rounds that list, and the cells by which prices may rise from there."""

_MARGIN_AT_LIMIT = 1.0
"""The same for a price that has risen as far as it might."""

_MEMBERS = 1 << 26
"""Most members of a listing."""

_SECONDS = 10.0
"""Shortest time limit with which there is time for it."""


def pays_off(table: CodedTable, patterns: PatternSet, budget: Budget) -> bool:
    """Return whether to list by price.

    Where masks are many or the time is short, a slack that is the same for all rows gives a bound sooner.
    """
    if are_many(table, patterns) or (budget.seconds is not None and budget.seconds < _SECONDS):
        return False
    return table.row_types * len(patterns.shown) > _FEW_PAIRS


def relax_by_price(table: CodedTable, patterns: PatternSet, k: int, start: Recoding, budget: Budget) -> Relaxation | None:
    """Return prices that prove a good lower bound, and the instances near them; None where too many gain, or time ends.

    Parameters
    ----------
    table, patterns, k
        The problem; the patterns are listed.
    start : Recoding
        A known release.
    """
    scale, cell, highest_cost = scale_of(table), usual_cost(table), int(patterns.cost.max())

    def listed(price: NDArray[np.float64], margin: NDArray[np.float64] | float) -> tuple[Instances, Int64] | None:
        most = np.floor(np.minimum(price + margin * cell, highest_cost) * scale).astype(np.int64)
        found = gaining(table, patterns, k, most=most, scale=scale, limit=_MEMBERS, budget=budget)
        return None if found is None else (found, most)

    def relisted(number: int, price: NDArray[np.float64], most: Int64) -> tuple[Instances, Int64] | None:
        if number == 0:
            return first
        if number not in _MARGINS or budget.over():
            return None
        return listed(price, np.where(price * scale >= most, _MARGIN_AT_LIMIT, _MARGINS[number]))

    price = _FIRST_SHARE * start.mean_costs(table)
    first = listed(price, _MARGINS[0])
    if first is None:
        return None
    return relax(table, first[0], k, start.cost(table), budget, price, relisted)


def leading(table: CodedTable, patterns: PatternSet, k: int, relaxed: Relaxation, budget: Budget) -> Relaxation:
    """Return prices with those instances that may lead the search: the most expensive ones raise the bound only."""
    least = least_costs(table, patterns, k, budget) if len(relaxed.instances) else None
    if least is None:
        return relaxed
    instances, cell = relaxed.instances, usual_cost(table)
    above = np.repeat(instances.cost, np.diff(instances.start)) - least[instances.member]
    kept = np.flatnonzero(np.minimum.reduceat(above, instances.start[:-1]) < SLACK * cell)
    return replace(relaxed, surplus=relaxed.surplus[kept], instances=instances.take(kept))
