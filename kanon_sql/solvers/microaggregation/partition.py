"""A partition whose classes show means or medians, of some columns or of all: by which solver, and what it loses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation import EXCHANGE, MDAV, MONDRIAN, UNIVARIATE, exchange, mdav, univariate
from kanon_sql.solvers.microaggregation.class_prices import METHOD as BY_PRICES
from kanon_sql.solvers.microaggregation.class_prices import class_prices
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.microaggregation.nearest import METHOD, Nearby, nearby
from kanon_sql.solvers.microaggregation.places import PlacedRows
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.measurements import GRAIN

Divide = Callable[[CodedTable, Sequence[str], Int32, ClassRequirement, Budget], SummaryPartition]
"""The solver of ranges and sets."""

_SEARCHED = 0.75
"""Share of the time that the search takes; the rest is for prices."""


def solve(
    algorithm: str,
    table: CodedTable,
    columns: Mapping[int, Measurements],
    requirement: ClassRequirement,
    budget: Budget,
    divide: Callable[[], SummaryPartition],
) -> tuple[SummaryPartition, str]:
    """Return a partition of the rows into classes that meet a requirement and lose little, with a proven lower bound.

    With the name of the algorithm that made it: `EXCHANGE` where `UNIVARIATE` could not.

    Parameters
    ----------
    algorithm : str
        One that `kanon_sql.solvers.microaggregation.chosen` returns.
    table : CodedTable
        t row types, m columns; codes follow the order of the values.
    columns : mapping of Measurements
        The columns of means and medians, by their place.
    divide : callable
        Returns a partition in which the columns of numbers are ranges.
    """
    if algorithm == UNIVARIATE:
        best = univariate.solve(columns[0], requirement.k, budget)
        if best is not None:
            return replace(best, lower_bound=cost(best, table, columns)), UNIVARIATE
        algorithm = EXCHANGE
    whole, budget = budget, budget.part(_SEARCHED)
    placed = PlacedRows.of(table, columns)
    found = nearby(table, columns, placed, requirement.least, budget)
    if algorithm == MONDRIAN:
        best = divide()  # its bound takes numbers for ranges
    elif algorithm == MDAV:
        best = mdav.solve(placed, requirement.k, budget)
    else:
        best = exchange.solve(placed, found.near, requirement.k, budget)
    return _bounded(best, table, columns, placed, found, requirement.least, whole), algorithm


def _bounded(
    best: SummaryPartition,
    table: CodedTable,
    columns: Mapping[int, Measurements],
    placed: PlacedRows,
    found: Nearby,
    k: int,
    budget: Budget,
) -> SummaryPartition:
    """Return a partition with the higher bound: of the nearest rows, or of prices if all columns show means."""
    if not any(column.median or column.null >= 0 for column in columns.values()):
        prices = class_prices(placed, best, k, budget)
        bound = Fraction(0) if prices is None else Fraction(int(prices.price @ table.weight), prices.scale) // GRAIN * GRAIN
        if bound > found.lower_bound:
            proof = prices if len(columns) == len(table.columns) else None
            return replace(best, lower_bound=bound, bound=BY_PRICES, prices=proof)
    return replace(best, lower_bound=found.lower_bound, bound=METHOD if found.lower_bound else "trivial", prices=None)


def cost(partition: SummaryPartition, table: CodedTable, columns: Mapping[int, Measurements]) -> Fraction:
    """Return what the rows lose in the columns of means and medians, in units of the table."""
    lost = Fraction(0)
    for c, column in columns.items():
        lost += int(table.cost[c]) * column.loss(*pieces(partition, table, c))
    return lost


def pieces(partition: SummaryPartition, table: CodedTable, column: int) -> tuple[Int64, Int64, Int64]:
    """Return the code, the class and the rows of each piece."""
    return table.codes[partition.row_type, column].astype("int64"), partition.number, partition.count
