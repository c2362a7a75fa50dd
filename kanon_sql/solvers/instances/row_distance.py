"""What each row costs at least, whatever becomes of the others: its cheapest instance, or the distance of its neighbours.

As prices these prove a lower bound without any further evidence: no instance gains from them.

References
----------
Meyerson, Williams: On the Complexity of Optimal k-Anonymity (2004), section 4 (distances).
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4 (the integer program).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.listing import cheapest
from kanon_sql.solvers.threads import WORKERS
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices

if TYPE_CHECKING:
    from kanon_sql.kernels.instances import Values

METHOD = "row distance"

_FREQUENT = 32
"""A value that one in so many row types has, or more, is a bit set; of rarer ones the row types are listed."""

_MOST_COST = (1 << 16) - 1
"""What a row costs at most in the units of the comparison."""

_COMPARISONS = 1 << 37
"""Cells compared to find neighbours, some seconds; row types beyond them cost at least nothing."""

_QUICK = 1 << 27
"""Patterns times row types up to which the cheapest instance of each row is found in a tenth of a second."""

_COMPARISONS_PER_CALL = 1 << 30
"""Cells compared between two checks of the clock, well below a second."""

_MOST_COLUMNS, _MOST_ROWS = 64, 64
"""Columns, and rows of a class, up to which whole classes are looked for around a row, not its k-th nearest row alone."""


def row_prices(table: CodedTable, patterns: PatternSet, k: int, budget: Budget = UNLIMITED) -> Prices:
    """Return what a row of each row type costs at least in any release.

    Parameters
    ----------
    table : CodedTable
        t row types, m columns, at least k rows.
    budget : Budget
        Time left: row types that it does not reach cost at least nothing.

    Notes
    -----
    Where the patterns are listed and time suffices, the cost of the cheapest one under which k rows look like the row: as
    `useful`, but far less, because only one instance of each row matters. Else the cost of the columns in which any of k rows
    differ, the row one of them, where k and m are small; or at least of those in which it differs from the k-th nearest row,
    itself the first: O(m t^2), for as many row types as there is time for.
    """
    price = cheapest(table, patterns, k, budget) if patterns.listed else None
    return Prices(price=_classes_around(table, k, budget) if price is None else price, scale=1)


def proves(table: CodedTable, patterns: PatternSet, k: int, cost: Fraction, budget: Budget) -> bool:
    """Return whether what rows cost at least proves that every release costs so many units of the table.

    Notes
    -----
    As `row_prices`. If there are many patterns, classes around each row come first, and for no more rows than are needed.
    """
    if not patterns.listed or len(patterns.shown) * table.row_types > _QUICK:
        prices = _classes_around(table, k, budget, enough=ceil(cost))
        if cost <= int(prices @ table.weight) or not patterns.listed:
            return bool(cost <= int(prices @ table.weight))
    return bool(cost <= int(row_prices(table, patterns, k, budget).price @ table.weight))


def near_row_types(table: CodedTable, many: int, budget: Budget) -> Int32 | None:
    """Return the row types nearest to each, int32 [t, many], the nearest first, -1 where there are no more.

    Returns
    -------
    int32 array or None
        None where there are too many row types to compare all of them; those that there is no time for have no near ones.

    Notes
    -----
    O(m t^2 / 64) words.
    """
    from kanon_sql.kernels.instances import nearest_row_types

    if table.row_types * table.codes.size > _COMPARISONS:
        return None
    values, near = row_types_by_value(table.codes, table.cost), np.full((table.row_types, many), -1, np.int32)
    size = max(1, _COMPARISONS_PER_CALL // table.codes.size)
    first = range(0, table.row_types, size)

    def list_near(low: int) -> None:
        if not budget.over():
            nearest_row_types(values, low, min(low + size, table.row_types), near)

    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        for number, _ in enumerate(threads.map(list_near, first)):
            budget.report("neighbours", number / len(first))
    return near


def _classes_around(table: CodedTable, k: int, budget: Budget, enough: int | None = None) -> Int64:
    """Return what a class costs each row at least, int64 [t]; 0 for the row types that there is no time for.

    With ``enough``, also 0 for those that are not needed to prove a cost of so many units.
    """
    from kanon_sql.kernels.instances import class_costs, distances

    # Costs that are rounded down make rows nearer than they are: the bound holds.
    step = int(table.cost.sum()) // _MOST_COST + 1
    cost = table.cost // step
    values = row_types_by_value(table.codes, cost)
    found: Int64 = np.zeros(table.row_types, np.int64)
    size = max(1, _COMPARISONS_PER_CALL // table.codes.size)
    first = range(0, min(table.row_types, max(1, _COMPARISONS // table.codes.size)), size)

    def measure(low: int) -> None:
        proven = enough is not None and step * int(found @ table.weight) >= enough
        if not (proven or (low and budget.over())):
            high = min(low + size, first.stop)
            if len(cost) <= _MOST_COLUMNS and 2 < k <= _MOST_ROWS:
                found[low:high] = class_costs(values, table.weight, cost.astype(np.uint16), k, low, high)
            else:
                found[low:high] = distances(values, table.weight, k, low, high)

    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        for number, _ in enumerate(threads.map(measure, first)):
            budget.report("row distance", number / len(first))
    found *= step
    return found


def row_types_by_value(codes: np.ndarray[tuple[int, int], np.dtype[np.int32]], cost: Int64) -> Values:
    """Return the row types that have each value, as the comparison of all row types with each other reads them.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    cost : int64 array [m]
        The cost of a column in which two row types differ, 1 or more.
    """
    from kanon_sql.kernels.instances import Values

    t, m = codes.shape
    order = np.argsort(cost, kind="stable")
    cardinality = codes.max(axis=0, initial=0).astype(np.int64) + 1
    first = np.append(0, np.cumsum(cardinality))
    rows = np.concatenate([np.bincount(codes[:, c], minlength=int(cardinality[c])) for c in range(m)])
    frequent = rows * _FREQUENT >= t
    place = np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32)
    held = np.zeros((int(frequent.sum()), (t + 63) // 64 * 8), np.uint8)
    for c in range(m):
        value = np.flatnonzero(frequent[first[c] : first[c + 1]])
        there = np.packbits(codes[:, c] == value[:, None], axis=1, bitorder="little")
        held[place[first[c] + value], : there.shape[1]] = there
    return Values(
        codes=codes,
        column=order.astype(np.int64),
        cost=cost[order].astype(np.int64),
        first=first,
        start=np.append(0, np.cumsum(rows)),
        member=np.concatenate([np.argsort(codes[:, c], kind="stable").astype(np.int32) for c in range(m)]),
        place=place,
        bits=held.view("<u8").astype(np.uint64),
    )
