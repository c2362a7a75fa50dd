"""What is near each row type, and what each row loses at least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kanon_sql.kernels.microaggregation import Places, nearest
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.microaggregation.places import PlacedRows, blocks
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.measurements import GRAIN

METHOD = "distances of the k nearest rows"

_NEAR = 12
"""Near row types of each that are listed."""

_MOST_KEPT = 128
"""Row types kept while the nearest rows are looked for."""

_MOST = 60_000
"""Row types that are all compared with each other, some seconds at most; of more, only blocks of so many."""

_BLOCK = 4096
"""Row types of a block where there are more, and between two looks at the clock."""

_ROUNDING = 1e-14
"""Of the greatest square distance in a column: more than rounding takes from a square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """What is near each row type."""

    near: Int32  # [t, s]: the nearest row types found, the nearest first, -1 where there are no more
    lower_bound: Fraction  # a lower bound on the loss of every partition, in units of the table


def nearby(table: CodedTable, columns: Mapping[int, Measurements], placed: PlacedRows, k: int, budget: Budget) -> Nearby:
    """Return the nearest row types of each, and a lower bound.

    Parameters
    ----------
    table : CodedTable
        t row types, at least k rows.
    columns : mapping of Measurements
        All of its columns.
    placed : PlacedRows
        The same as points.
    budget : Budget
        Time left; when it ends, some row types have none near, and the bound is 0.

    Notes
    -----
    The squared deviations of a class of s rows are the sum of all its squared distances, from each row to each, over 2 s. So a
    row has a share of the sum of its squared distances to the others over 2 s, and that is least for its k - 1 nearest, as
    s = k: a row that comes in addition is no nearer than the average so far, itself counted. Absolute deviations from a
    median are at least such a share of the distances, by the triangle inequality. Of u NULLs next to v numbers each loses 1,
    which is at least u v / s. What is added in floating point is less than all that rounding may have added.
    """
    x, empty, absolute, apart = _columns(table, columns)
    spread = np.ptp(x, axis=0) if len(x) else np.zeros(x.shape[1])
    first = int(np.argmax(np.where(empty.any(axis=0), -1.0, spread)))
    order = [first, *(c for c in range(x.shape[1]) if c != first)]
    found = np.full((len(x), _NEAR), -1, np.int32)
    total = 0.0
    whole = len(x) <= _MOST
    for block in [np.arange(len(x))] if whole else blocks(placed.x, _BLOCK, 2):
        rank = block[np.argsort(x[block, first], kind="stable")]
        places = Places(
            x=np.ascontiguousarray(x[rank][:, order]),
            empty=np.ascontiguousarray(empty[rank][:, order]),
            rows=table.weight[rank],
            absolute=absolute[order],
            apart=apart[order],
        )
        near = np.full((len(rank), _NEAR), -1, np.int32)
        kept = min(max(k - 1, _NEAR), _MOST_KEPT)
        for start in range(0, len(rank), _BLOCK):
            wanted = np.zeros(len(rank), np.uint8)
            wanted[start : start + _BLOCK] = table.weight[rank[start : start + _BLOCK]] < k
            if budget.over():
                whole = False
                break
            budget.report("near rows", start / len(rank))
            total += float(nearest(places, k, wanted, kept, near) @ table.weight[rank])
        found[rank] = np.where(near < 0, -1, rank[near])
    if not whole:
        return Nearby(near=found, lower_bound=Fraction(0))
    slack = _ROUNDING * table.rows * float(np.where(absolute, spread, spread**2).sum())
    bound = Fraction(max(0.0, (total / (2 * k)) * (1 - 1e-9) - slack))
    return Nearby(near=found, lower_bound=bound // GRAIN * GRAIN)


def _columns(table: CodedTable, columns: Mapping[int, Measurements]) -> tuple[np.ndarray, ...]:
    """Return numbers whose distances, squared or absolute, are what is lost; where there are none, and the loss of that."""
    x = np.zeros((table.row_types, len(columns)))
    empty = np.zeros(x.shape, np.uint8)
    absolute, apart = np.zeros(len(columns), np.uint8), np.zeros(len(columns))
    for place, (c, column) in enumerate(columns.items()):
        code, cost = table.codes[:, c], float(table.cost[c])
        x[:, place] = column.standardized()[code] * cost**0.5
        if column.median:
            x[:, place] = column.scaled()[code] * cost
        empty[:, place] = code == column.null
        absolute[place], apart[place] = column.median, cost
    return x, empty, absolute, apart
