"""What every row costs at least: the cheapest cells that meet each set of known columns by which too few rows are like it.

Whatever a release hides of other rows, the rows that show the same as a row by such a set are some of these few. So the row has
to hide a cell of each. The bound adds these costs up.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.projections.set_requirements import Sets
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Prices

METHOD = "sets of known columns"

_NODES, _MANY = 2_000, 300
"""Steps of the search for one row type, and the sets of columns up to which there is a search.

Of more sets, only some without a common column count. 10,000 rows of 60 columns have 28 million rare sets of 3.
"""

_MOST_PARTS = 50_000
"""Parts of sets that are counted: a set of all of 60 columns has 10^18."""


def least_prices(table: CodedTable, sets: Sets, budget: Budget) -> Prices:
    """Return what a row of each row type costs at least.

    Notes
    -----
    A GROUP BY of the row types for each part of a set. If the time is up, sets that were not looked at ask for nothing.
    """
    return met_at_least(table, rare_sets(table, sets, budget), budget)


def met_at_least(table: CodedTable, rare: list[list[int]], budget: Budget) -> Prices:
    """Return what a row of each row type costs at least that hides a cell of each of its sets, given as bits.

    When the time is up, that is 0 of the other row types.
    """
    cost = table.cost.tolist()
    known: dict[tuple[int, ...], int] = {}
    price = np.zeros(table.row_types, np.int64)
    for row_type, parts in enumerate(rare):
        if budget.over():
            break
        if parts:
            masks = tuple(parts)
            if masks not in known:
                known[masks] = _Cheapest(cost).of(masks)
            price[row_type] = known[masks]
    return Prices(price=price, scale=1)


def least_rows_by_set(table: CodedTable, sets: Sets) -> dict[tuple[int, ...], int]:
    """Return the least rows by each part of a set, the shortest parts first; none of a size that makes too many."""
    least: dict[tuple[int, ...], int] = {}
    for size in range(1, max(map(len, sets), default=0) + 1):
        found: dict[tuple[int, ...], int] = {}
        for widest, requirement in sets.items():
            for chosen in _parts(table, widest, size):
                found[chosen] = max(found.get(chosen, 1), requirement.rows)
            if len(least) + len(found) > _MOST_PARTS and least:
                return least
        least |= found
    return least


def rare_sets(table: CodedTable, sets: Sets, budget: Budget) -> list[list[int]]:
    """Return for each row type, as bits, the smallest sets by which too few rows are like it; some, if the time is up."""
    least = least_rows_by_set(table, sets)
    few: list[list[int]] = [[] for _ in range(table.row_types)]
    widest = max(map(len, least), default=0)
    shorter: dict[tuple[int, ...], NDArray[np.uint8]] = {(): np.packbits(np.zeros(table.row_types, np.bool_))}
    met: dict[tuple[int, ...], NDArray[np.uint8]] = {}
    size = 1
    for chosen in sorted(least, key=lambda each: (len(each), each)):
        if budget.over():
            break
        if len(chosen) > size:
            shorter, met, size = met, {}, len(chosen)
        small = np.packbits(_small(table, chosen, least[chosen]))
        by_parts = np.bitwise_or.reduce([shorter[part] for part in combinations(chosen, len(chosen) - 1)])
        if len(chosen) < widest:
            met[chosen] = small | by_parts
        mask = sum(1 << place for place in chosen)
        for row_type in np.flatnonzero(np.unpackbits(small & ~by_parts, count=table.row_types)).tolist():
            few[row_type].append(mask)
    return few


def _parts(table: CodedTable, widest: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the parts of a set of so many columns of the source, each at one of its levels."""
    levels: dict[tuple[str, ...], list[int]] = {}
    for place in widest:
        levels.setdefault(table.columns[place], []).append(place)
    for chosen in combinations(levels.values(), size):
        yield from product(*chosen)


def _small(table: CodedTable, chosen: tuple[int, ...], k: int) -> NDArray[np.bool_]:
    """Return the row types that fewer than k rows are like, by some columns."""
    columns = list(chosen)
    number = alike(table.codes[:, columns], table.cardinality[columns], np.zeros(len(columns), np.bool_))
    rows = np.bincount(number, table.weight).astype(np.int64)
    found: NDArray[np.bool_] = (rows < k)[number]
    return found


class _Cheapest:
    """The search for the cheapest columns that meet all masks.

    Parameters
    ----------
    cost : list of int
        Of each column.
    """

    def __init__(self, cost: list[int]) -> None:
        self._cost, self._nodes, self._best = cost, 0, 0

    def of(self, masks: tuple[int, ...]) -> int:
        """Return the least cost, or what is certain of it if the search takes too long."""
        if len(masks) > _MANY:
            return self._packed(masks)
        single = sum(self._cost[mask.bit_length() - 1] for mask in masks if mask.bit_count() == 1)
        self._best = sum(self._cost) + 1
        self._visit([mask for mask in masks if mask.bit_count() > 1 and not mask & self._singles(masks)], single, 0)
        return self._best if self._nodes < _NODES else max(single, self._packed(masks))

    def _singles(self, masks: tuple[int, ...]) -> int:
        return sum({mask for mask in masks if mask.bit_count() == 1})

    def _packed(self, masks: tuple[int, ...]) -> int:
        """Return the cost of masks that have no column in common: each needs one of its own."""
        taken, cost = 0, 0
        for mask in sorted(masks, key=int.bit_count):
            if not mask & taken:
                taken |= mask
                cost += min(self._cost[place] for place in range(len(self._cost)) if mask >> place & 1)
        return cost

    def _visit(self, masks: list[int], spent: int, barred: int) -> None:
        self._nodes += 1
        if not masks:
            self._best = min(self._best, spent)
            return
        if self._nodes >= _NODES or spent + self._packed(tuple(masks)) >= self._best:
            return
        first = min(masks, key=lambda mask: (mask & ~barred).bit_count())
        counts = {place: sum(mask >> place & 1 for mask in masks) for place in range(len(self._cost)) if first >> place & 1}
        for place in sorted(counts, key=lambda each: (-counts[each], each)):
            if not barred >> place & 1:
                self._visit([mask for mask in masks if not mask >> place & 1], spent + self._cost[place], barred)
                barred |= 1 << place
