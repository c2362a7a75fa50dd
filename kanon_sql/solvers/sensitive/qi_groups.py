"""QI groups: row types that agree on all quasi-identifiers and differ in their sensitive values only."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix


@dataclass(frozen=True, slots=True, kw_only=True)
class QIGroups:
    """The QI groups of a table.

    Parameters
    ----------
    table : CodedTable
        Its row types are the QI groups.
    first : int64 array [u + 1]
        Group u has the row types ``first[u]`` to ``first[u + 1] - 1``.
    """

    table: CodedTable
    first: Int64

    @classmethod
    def of(cls, table: CodedTable) -> QIGroups:
        """Return the QI groups of a table; O(t m).

        The row types of a coded table are in ascending order, those with equal codes next to each other.
        """
        new = np.ones(table.row_types, np.bool_)
        new[1:] = (table.codes[1:] != table.codes[:-1]).any(axis=1)
        first = np.flatnonzero(new)
        merged = replace(
            table,
            codes=np.ascontiguousarray(table.codes[first]),
            weight=np.add.reduceat(table.weight, first),
            origin=table.origin[first],
            sensitive=(),
        )
        return cls(table=merged, first=np.append(first, table.row_types))

    @property
    def place(self) -> Int64:
        """Return key word and stride of each column, int64 [2, m]."""
        word, stride, _ = mixed_radix(self.table.cardinality)
        return np.stack([word, stride])
