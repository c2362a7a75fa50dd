"""The coded columns that classes of summaries see, and which of them each class shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.model.microaggregation import Means, Medians
from kanon_sql.model.recodings import Ranges, Sets
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.coded_table import CodedTable


def shown_columns(table: CodedTable, places: list[int]) -> CodedTable:
    """Return a table with some of the coded columns: those that classes may show."""
    return replace(
        table,
        columns=tuple(table.columns[c] for c in places),
        codes=np.ascontiguousarray(table.codes[:, places]),
        cost=table.cost[places],
        hidden_levels=0,
    )


def kind_of(recoding: object) -> str:
    """Return what a class shows of a column, as in `SummaryPartition.cost`; 'plain' where it is neither summary nor number."""
    kinds = {Ranges: "range", Sets: "set", Means: "mean", Medians: "median"}
    return next((name for kind, name in kinds.items() if isinstance(recoding, kind)), "plain")


def shown_bits(table: CodedTable, places: list[int], kinds: list[str], partition: SummaryPartition) -> np.ndarray:
    """Return what each piece shows: bits ``places`` of what its class agrees on, or summarizes by fewer than all values."""
    classes = int(partition.number.max()) + 1
    shown = np.zeros(classes, np.uint64)
    for column, (kind, values) in enumerate(zip(kinds, table.cardinality.tolist(), strict=True)):
        pairs = np.unique(partition.number * values + table.codes[partition.row_type, column])
        different = np.bincount(pairs // values, minlength=classes)
        is_shown = different == 1 if kind == "plain" else (different < values) | (values == 1) | (kind in ("mean", "median"))
        shown |= is_shown.astype(np.uint64) << np.uint64(places[column])
    return shown[partition.number]
