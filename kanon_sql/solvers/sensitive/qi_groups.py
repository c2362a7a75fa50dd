"""QI groups: row types that agree on all quasi-identifiers and differ in their sensitive values only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix


@dataclass(frozen=True, slots=True, kw_only=True)
class QIGroups:
    """The QI groups of a table."""

    table: CodedTable  # its row types are the QI groups
    first: Int64  # [u + 1]: group u has the row types ``first[u]`` to ``first[u + 1] - 1``

    @classmethod
    def of(cls, table: CodedTable) -> QIGroups:
        """Return the QI groups of a table; O(t m)."""
        merged, first = table.without_sensitive()
        return cls(table=merged, first=np.append(first, table.row_types))

    @property
    def place(self) -> Int64:
        """Return key word and stride of each column, int64 [2, m]."""
        word, stride, _ = mixed_radix(self.table.cardinality)
        return np.stack([word, stride])
