"""A search for pattern instances, divided by masks so that all cores take part."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.kernels.instances import Search, advance, expect, found, set_prices
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.threads import WORKERS, mapping
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet

if TYPE_CHECKING:
    from kanon_sql.kernels.instances import Search

_FEW_PAIRS, _MASKS_PER_PART = 1 << 25, 1 << 7
"""Masks times row types that one part looks at faster, and masks of a part: fewer share too little of the search."""

_MOST_PARTS, _MOST_PLACES = 32, 1 << 21
"""Parts at most, also in row types of all of them together."""

_WORK_PER_CALL = 1 << 20
"""Row types that a part looks at between two checks of the clock."""


class InstanceSearch:
    """A search for the instances that are of use to some row type, one part for each range of masks.

    Parameters
    ----------
    table, patterns : CodedTable, PatternSet
        t row types, and the permitted patterns, listed.
    slack : int
        An instance is of use to a row type if it costs less than the cheapest of the row type and so much more.
    limit : int
        Members after which the search gives up.
    scale : int
        Costs are in parts of 1/scale of a unit.

    Notes
    -----
    The number of parts depends on the table alone, and parts share what they know after fixed amounts of work: the result is
    the same on any number of cores.
    """

    def __init__(self, table: CodedTable, patterns: PatternSet, k: int, slack: int, limit: int, scale: int = 1) -> None:
        order = np.argsort(-table.cardinality, kind="stable")
        masks = np.zeros(len(patterns.shown), np.uint64)
        for place, column in enumerate(order):
            masks |= ((patterns.shown >> np.uint64(column)) & np.uint64(1)) << np.uint64(len(order) - 1 - place)
        self.limit, self.descending = limit, np.argsort(masks)[::-1].astype(np.int32)
        cost = patterns.cost[self.descending] * scale
        codes, masks, least = np.ascontiguousarray(table.codes[:, order]), masks[self.descending], _range_minima(cost)
        ends = np.linspace(0, len(masks), _parts(table.row_types, len(masks)) + 1).astype(np.int64).tolist()
        self.parts = [
            Search(
                codes=codes,
                weight=table.weight,
                slack=slack,
                masks=masks,
                cost=cost,
                sparse=least,
                k=k,
                limit=limit,
                low=low,
                high=high,
            )
            for low, high in pairwise(ends)
        ]

    def expect(self, price_limit: Int64) -> None:
        """Tell the search from which cost on an instance is of no use to a row type, int64 [t]: it looks at less."""
        for part in self.parts:
            expect(part, price_limit)

    def set_prices(self, price: Int64) -> None:
        """Set the price of a row of each row type before the search begins, int64 [t]: it lists what gains from it."""
        by_price = np.argsort(-price, kind="stable").astype(np.int32)
        for part in self.parts:
            set_prices(part, price, by_price)

    def price_limit(self) -> Int64:
        """Return the cost from which on an instance is of no use to a row type, as all parts know by now, int64 [t]."""
        known: Int64 = np.minimum.reduce([np.asarray(part.price_limit) for part in self.parts])
        return known

    def run(self, budget: Budget, report: Callable[[], None] = lambda: None) -> bool:
        """Search to the end; False beyond the limit, or if time ends."""
        waiting = self.parts
        with ThreadPoolExecutor(max_workers=WORKERS) as threads:
            while True:
                states = list(mapping(threads, enough=len(waiting) > 1)(_advance, waiting))
                if min(states) < 0 or sum(part.size for part in self.parts) > self.limit:
                    return False
                if len(self.parts) > 1 and not self.parts[0].priced:
                    self.expect(self.price_limit())
                waiting = [part for part, state in zip(waiting, states, strict=True) if state == 0]
                if not waiting:
                    return True
                if budget.over():
                    return False
                report()

    def found(self) -> tuple[Int64, Int32, Int32]:
        """Return the instances, after the end: where the members of each begin, the members, and its pattern."""
        starts, members, masks = zip(*map(found, self.parts), strict=True)
        before = np.cumsum([0, *map(len, members)])
        start = [start[:-1] + first for start, first in zip(starts, before[:-1], strict=True)]
        member = members[0] if len(members) == 1 else np.concatenate(members)
        return np.append(np.concatenate(start), before[-1]), member, self.descending[np.concatenate(masks)]


def _advance(part: Search) -> int:
    return advance(part, _WORK_PER_CALL)


def _parts(row_types: int, masks: int) -> int:
    """Return in how many parts it pays to search."""
    if row_types * masks < _FEW_PAIRS:
        return 1
    return max(1, min(_MOST_PARTS, _MOST_PLACES // row_types, masks // _MASKS_PER_PART))


def _range_minima(cost: Int64) -> Int64:
    """Return int64 [levels, p]: in level l the least of 2^l neighbours from each place on."""
    levels = [cost]
    while 2 << (len(levels) - 1) <= len(cost):
        half = 1 << (len(levels) - 1)
        level = levels[-1].copy()
        level[:-half] = np.minimum(levels[-1][:-half], levels[-1][half:])
        levels.append(level)
    return np.ascontiguousarray(np.stack(levels))
