"""Row types as points: what is squared distance there is what the exchange saves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRows:
    """The row types of a table that has columns of means and medians only."""

    # [t, m]: the numbers, standardized and scaled by the root of the cost of their column; each column with a NULL has another
    # one behind, which tells who has it
    x: Points
    rows: Int64  # [t]: rows of each row type

    @classmethod
    def of(cls, table: CodedTable, columns: Mapping[int, Measurements]) -> Self:
        """Return the points of a table; medians are placed as means are."""
        parts = []
        for c, column in columns.items():
            root = float(table.cost[c]) ** 0.5
            parts.append(column.standardized()[table.codes[:, c]] * root)
            if column.null >= 0:
                parts.append((table.codes[:, c] == column.null) * root)
        return cls(x=np.ascontiguousarray(np.stack(parts, axis=1)), rows=table.weight)

    def loss(self, row_type: Int64, number: Int64, count: Int64) -> float:
        """Return the squared deviations inside of classes given by pieces."""
        classes = int(number.max()) + 1
        rows = np.bincount(number, count, classes)
        within = float((self.x[row_type] ** 2).sum(axis=1) @ count)
        for d in range(self.x.shape[1]):
            within -= float((np.bincount(number, self.x[row_type, d] * count, classes) ** 2 / rows).sum())
        return within


def blocks(x: Points, most: int, least: int) -> list[Int64]:
    """Divide points by cuts in the middle of their widest column, until no block has more than ``most``.

    Parameters
    ----------
    x : float64 array [n, m]
        The points.
    most, least : int
        Points of a block; no cut leaves fewer than ``least``.

    Notes
    -----
    O(m n log n) for each level of cuts.
    """
    waiting, found = [np.arange(len(x))], []
    while waiting:
        block = waiting.pop()
        if len(block) <= most or len(block) < 2 * least:
            found.append(block)
            continue
        inside = x[block]
        column = inside[:, int(np.argmax(inside.max(axis=0) - inside.min(axis=0)))]
        order = block[np.argsort(column, kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return found
