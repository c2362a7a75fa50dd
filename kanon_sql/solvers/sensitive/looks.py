"""Looks: row types that differ in their sensitive values only look the same, whatever is shown of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanon_sql.kernels.requirements.greedy import Looks
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix


def looks_of(table: CodedTable, promise: Promise) -> tuple[CodedTable, Looks]:
    """Return a table whose row types are the looks of a table, and the looks for kernels; O(t m).

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
    word, stride, _ = mixed_radix(table.cardinality)
    looks = Looks(
        codes=merged.codes,
        place=np.stack([word, stride]),
        first=np.append(first, table.row_types),
        kind=promise.kind,
        counter=promise.kinds,
    )
    return merged, looks
