"""The row distance by parts: what each row costs at least, with no more than a part of the row types in memory.

The columns have an order. A pattern is looked at together with all others whose first shown column is the same: they hide the
columns before it, so row types that differ in these alone are one, and their instances lie whole in the parts that agree in
that column. So each instance is counted once, and the prices are those of `row_prices`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.by_parts.workers import solved
from kanon_sql.solvers.instances.listing import NOTHING, least_costs
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import PatternSet

METHOD = "row distance by parts"

CHEAPEST = "rows with fewer than k equal rows cost at least the cheapest mask that suppresses something"


def lower_bound(table: CodedTable, patterns: PatternSet, k: int, budget: Budget, threads: int | None = None) -> tuple[int, str]:
    """Return a cost below which there is no release, in units of the table, and how it is proven.

    Parameters
    ----------
    table : CodedTable
        t row types; the codes may lie in a file.
    budget : Budget
        When it ends, or where the patterns are not listed, the bound is what the rows below k cost at least.
    threads : int, optional
        By default one for each core.

    Notes
    -----
    As `row_prices`, and O(t log t) to sort the row types; memory O(t), and the row types with the commonest value of the
    first column.
    """
    prices = None
    if patterns.listed and not budget.over():
        prices = row_distance(table, patterns, k, budget, threads)
    cheap = _cheapest(table, patterns, k)
    if prices is None:
        return cheap, CHEAPEST
    return int(prices @ table.weight), METHOD


def _cheapest(table: CodedTable, patterns: PatternSet, k: int) -> int:
    """Return what rows cost at least because no k rows look like them whole."""
    costs = patterns.cost if patterns.listed else np.append(0, table.cost)
    if costs[0]:
        return int(costs[0]) * table.rows
    rows = int(table.weight[table.weight < k].sum())
    return rows * int(costs[costs > 0].min(initial=int(table.cost.sum())))


def row_distance(table: CodedTable, patterns: PatternSet, k: int, budget: Budget, threads: int | None = None) -> Int64 | None:
    """Return what a row of each row type costs at least in any release, int64 [t]; None if time ends.

    The same as `row_prices` computes with all row types in memory.
    """
    columns = np.argsort(-table.cardinality, kind="stable")
    current, group = _sorted(table, columns)
    place = np.empty(len(columns), np.int64)
    place[columns] = np.arange(len(columns))
    shown = np.zeros_like(patterns.shown)
    for column in range(len(columns)):
        shown |= ((patterns.shown >> np.uint64(column)) & np.uint64(1)) << np.uint64(place[column])
    price = np.full(table.row_types, NOTHING)
    for first in range(len(columns)):
        here = (shown & np.uint64((2 << first) - 1)) == np.uint64(1 << first)
        if here.any():
            fitting = PatternSet(shown=shown[here] >> np.uint64(first), cost=patterns.cost[here])
            found = _round(current, fitting, k, budget, first / len(columns), threads)
            if found is None:
                return None
            price = np.minimum(price, found[group])
        current, fresh = _projected(current)
        group = fresh[group]
    blank = shown == 0
    if blank.any() and table.rows >= k:
        price = np.minimum(price, patterns.cost[blank].min())
    return np.where(price == NOTHING, 0, price)


def _round(table: CodedTable, patterns: PatternSet, k: int, budget: Budget, done: float, threads: int | None) -> Int64 | None:
    """Return the cost of the cheapest instance of each row type, all of which show the first column; None if time ends."""
    order = np.argsort(table.codes[:, 0], kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(table.codes[:, 0])))
    parts = (order[start:stop] for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True) if stop > start)

    def work(part: Int64, quiet: Budget) -> tuple[Int64, Int64 | None]:
        return part, least_costs(_part(table, part), patterns, k, quiet)

    price = np.empty(table.row_types, np.int64)
    for part, found in solved(work, parts, budget, "lower bound by parts", done, threads):
        if found is None:
            return None
        price[part] = found
    return price


def _sorted(table: CodedTable, columns: Int64) -> tuple[CodedTable, Int32]:
    """Return the row types with the columns in another order, sorted by the last first; and the new place of each."""
    cardinality = table.cardinality[columns]
    word, stride, words = mixed_radix(cardinality)
    keys = [np.zeros(table.row_types, np.int64) for _ in range(words)]
    for place, column in enumerate(columns):
        keys[word[place]] += table.codes[:, column] * stride[place]
    order = np.lexsort(keys)
    del keys
    codes = np.empty((len(order), len(columns)), np.min_scalar_type(int(cardinality.max())))  # narrow: all are in memory
    for place, column in enumerate(columns):
        codes[:, place] = table.codes[:, column][order]
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return _table(table, codes, table.weight[order]), number


def _projected(table: CodedTable) -> tuple[CodedTable, Int32]:
    """Return the row types without their first column, and the new place of each; they stay sorted, so equal ones touch."""
    codes = table.codes[:, 1:]
    fresh = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    first = np.flatnonzero(fresh)
    return _table(table, codes[first], np.add.reduceat(table.weight, first)), np.cumsum(fresh, dtype=np.int32) - 1


def _table(table: CodedTable, codes: np.ndarray, weight: Int64) -> CodedTable:
    """Return a table of other row types; it needs no cost of a column, as patterns bring their own."""
    return replace(
        table, columns=tuple((str(column),) for column in range(codes.shape[1])), codes=codes, weight=weight, origin=weight
    )


def _part(table: CodedTable, row_types: Int64) -> CodedTable:
    return replace(table, codes=table.codes[row_types].astype(np.int32), weight=table.weight[row_types], origin=row_types)
