"""Loss in whole numbers, so that a search adds it exactly and its result is the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.kernels.summaries import PLAIN, RANGE, SET, Measure
from kanon_sql.table.arrays import Int32
from kanon_sql.table.coded_table import CodedTable

_KINDS = {"plain": PLAIN, "range": RANGE, "set": SET}

_MOST_BITS = 61
"""Of a sum of losses of all rows."""


def measured(table: CodedTable, kinds: Sequence[str], null: Int32) -> tuple[Measure, int]:
    """Return how loss is counted, and in what part of the table's unit: ``1 / scale``, with ``scale`` a power of two.

    A step that is no whole number of these is rounded down, so no loss is ever counted as more than it is. Columns, kinds and
    NULL as in `SummaryPartition.cost`.
    """
    values = table.cardinality
    scale = 1 << max(0, _MOST_BITS - (table.rows * int(table.cost.sum())).bit_length())
    steps = [1 if kind == "plain" else max(1, size - 1) for kind, size in zip(kinds, values.tolist(), strict=True)]
    measure = Measure(
        kind=np.array([_KINDS[kind] for kind in kinds], np.int64),
        step=np.array([cost * scale // many for cost, many in zip(table.cost.tolist(), steps, strict=True)], np.int64),
        null=null.astype(np.int64),
        first=np.concatenate([[0], np.cumsum(values)]),
    )
    return measure, scale
