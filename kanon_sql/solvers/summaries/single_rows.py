"""Tables of few row types, divided row by row: classes that need some of each sensitive value take a part of a row type."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.solvers.summaries.partition import SummaryPartition, joined
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable

_MOST_PIECES = 2_000
"""About as many pieces as a table is split into."""

_LEAST_ROWS = 2
"""Rows of a row type, on average, from which a table is split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTable:
    """A table whose row types are split into pieces."""

    table: CodedTable  # a row type for each piece
    whole: Int64  # [pieces]: the row type of the table that each piece is of

    @classmethod
    def of(cls, table: CodedTable) -> SplitTable | None:
        """Split the row types of a table into pieces of about equal size; None if it has many, or few rows of each."""
        if table.row_types >= _MOST_PIECES or table.rows < _LEAST_ROWS * table.row_types:
            return None
        most = -(-table.rows // _MOST_PIECES)
        pieces = -(-table.weight // most)
        whole = np.repeat(np.arange(table.row_types), pieces)
        weight = np.full(len(whole), most, np.int64)
        weight[np.cumsum(pieces) - pieces] -= pieces * most - table.weight
        sensitive = tuple(replace(each, codes=np.ascontiguousarray(each.codes[whole])) for each in table.sensitive)
        return cls(table=replace(table.of_row_types(whole, weight), sensitive=sensitive), whole=whole)

    def joined(self, partition: SummaryPartition) -> SummaryPartition:
        """Return a partition of the pieces as one of the row types."""
        row_type = self.whole[partition.row_type].astype(np.int32)
        found = joined(row_type, partition.number, partition.count)
        return replace(partition, row_type=found.row_type, number=found.number, count=found.count)
